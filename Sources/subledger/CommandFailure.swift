import ArgumentParser
import LedgerStore

/// A command that failed: `error: <code>: <sentence>`, and an exit code (`Contract.md`).
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

    init(_ code: String, _ message: String, _ exit: Exit) {
        (self.code, self.message, self.exit) = (code, message, exit)
    }

    init<Code: RawRepresentable<String>>(_ code: Code, _ message: String, _ exit: Exit) {
        self.init(code.rawValue, message, exit)
    }

    /// An option whose value cannot be used, or options that exclude each other.
    static func invalidOption(_ message: String) -> CommandFailure {
        CommandFailure("invalidOption", message, .usage)
    }

    /// The failure to update derived data after an append, with the note that nothing is lost.
    static func afterAppending(_ error: any Error) -> any Error {
        guard let error = error as? StoreError else { return error }
        let failure = CommandFailure(error)
        return CommandFailure(failure.code, "\(failure.message) \(durableSentence)", failure.exit)
    }

    static let durableSentence =
        "The appended events are durable; only derived data is behind, until a later command"
        + " catches up with the log."
}

/// Runs a command's body; prints its failure and exits with the matching code.
func perform(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let code as ExitCode { throw code } catch {
        let failure = CommandFailure(error)
        Terminal.error(failure)
        throw ExitCode(failure.exit.rawValue)
    }
}
