import AppStore
import ArgumentParser
import Foundation
import LedgerStore
import Queries
import Reports

/// A command that failed: `error: <code>: <sentence>`, and an exit code (`contract.md`).
struct CommandFailure: Error {
    enum Exit: Int32 {
        /// Something was rejected, does not exist, or does not agree.
        case negative = 1
        case usage = 64
        case `internal` = 70
        case io = 74
        case configuration = 78
    }

    let code: String
    let message: String
    let exit: Exit

    init(code: String, message: String, exit: Exit) {
        self.code = code
        self.message = message
        self.exit = exit
    }

    init(_ error: StoreError) {
        // A missing or protected file is a refusal, not an I/O failure.
        let isRefusal = error.code == .noSuchFile || error.code == .fileInUse
        self.init(
            code: error.code.rawValue, message: error.description,
            exit: isRefusal ? .negative : .io)
    }

    /// The failure to update derived data after an append, with the note that nothing is lost.
    static func afterAppending(_ error: any Error) -> any Error {
        guard let error = error as? StoreError else { return error }
        let failure = CommandFailure(error)
        return CommandFailure(
            code: failure.code, message: "\(failure.message) \(durableSentence)", exit: failure.exit
        )
    }

    static let durableSentence =
        "The appended events are durable; only derived data is behind, until a later command"
        + " catches up with the log."

    /// Invalid arguments are usage errors; a missing subject is exit code 1.
    init(_ error: CommandError) {
        if let failure = error.failure {
            self.init(failure)
            return
        }
        let exit: Exit =
            switch error.code {
            case .notLinked, .noSuchGrant, .idempotencyKeyReused: .negative
            case .invalidCustomer, .invalidActor, .invalidReason, .invalidEntitlement,
                .invalidTime, .invalidIdempotencyKey:
                .usage
            case .store: .io
            }
        self.init(code: error.code.rawValue, message: error.message, exit: exit)
    }

    /// An invalid query is a usage error.
    init(_ error: MetricsError) {
        if case .store(let failure) = error {
            self.init(failure)
        } else {
            self.init(code: error.code, message: error.message, exit: .usage)
        }
    }

    init(_ error: QueryError) {
        switch error {
        case .store(let failure): self.init(failure)
        case .noSuchSubscription(let id):
            self.init(
                code: error.code,
                message: "\(error.message) If it is a customer's id, use `subledger timeline"
                    + " --customer \(id)` or `subledger entitlements \(id)`.", exit: .negative)
        case .unknownThen, .stateless, .ambiguousId:
            self.init(code: error.code, message: error.message, exit: .negative)
        }
    }
}

/// Runs a command's body; prints its failure and exits with the matching code.
func perform(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let failure as CommandFailure {
        Console.error(failure)
        throw ExitCode(failure.exit.rawValue)
    } catch let failure as StoreError {
        let failure = CommandFailure(failure)
        Console.error(failure)
        throw ExitCode(failure.exit.rawValue)
    } catch let failure as QueryError {
        let failure = CommandFailure(failure)
        Console.error(failure)
        throw ExitCode(failure.exit.rawValue)
    } catch let failure as CommandError {
        let failure = CommandFailure(failure)
        Console.error(failure)
        throw ExitCode(failure.exit.rawValue)
    } catch let failure as MetricsError {
        let failure = CommandFailure(failure)
        Console.error(failure)
        throw ExitCode(failure.exit.rawValue)
    } catch let code as ExitCode {
        throw code
    } catch {
        Console.error(
            CommandFailure(
                code: "internal", message: "An unexpected failure: \(error).", exit: .internal))
        throw ExitCode(CommandFailure.Exit.internal.rawValue)
    }
}

/// Standard output and standard error.
enum Console {
    static func out(_ bytes: [UInt8]) throws {
        do { try FileHandle.standardOutput.write(contentsOf: bytes) } catch {
            throw CommandFailure(
                code: "outputClosed", message: "Standard output cannot be written.", exit: .io)
        }
    }

    /// Writes text for people, with control characters made printable: input from outside must not
    /// reach the terminal as escape sequences.
    static func out(_ text: String) throws { try out(Array(text.printableLines.utf8)) }

    /// Writes one JSON object and a newline.
    static func out(_ body: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        body(&json)
        json.newline()
        try out(json.bytes)
    }

    /// Writes one or more lines to standard error.
    static func note(_ text: String) {
        try? FileHandle.standardError.write(
            contentsOf: Array((text.printableLines + "\n").utf8))
    }

    static func error(_ failure: CommandFailure) {
        note("error: \(failure.code): \(failure.message)")
    }

    static var now: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
