import AppStore
import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import subledger

/// How a command ended and what it wrote.
struct Outcome: Sendable {
    let code: Int32
    let out: String
    let err: String

    /// Standard output as the one JSON object it must be: one line, one value.
    func json() throws -> JSONValue {
        let lines = out.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last?.isEmpty == true, "one line: \(out.prefix(200))")
        let value = try JSONValue.parse(Array(try #require(lines.first).utf8))
        #expect(value.object != nil)
        return value
    }

    /// The code in `error: <code>: <sentence>`.
    var errorCode: String? {
        let line = err.split(separator: "\n").last { $0.hasPrefix("error: ") }
        return line.flatMap { $0.split(separator: ":", maxSplits: 2).dropFirst().first }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The outcome of a command in this process, over a data directory: its output and its failure,
    /// without what it writes while it runs. Files in the arguments have whole paths.
    static func answered(_ arguments: [String], over data: String) async throws -> Outcome {
        let command = try Subledger.parseAsRoot(arguments + ["--data", data])
        let asked = try #require(command as? any OutputCommand)
        var out = ""
        do {
            let settings = try Settings(asked.common, usualFile: nil)
            let output = try await Gate.ledgers.pass { try await asked.output(settings) }
            if asked.common.json, let write = output.json {
                var json = JSONWriter()
                write(&json)
                json.newline()
                out = String(decoding: json.bytes, as: UTF8.self)
            } else {
                out = output.text()
            }
            if let failure = output.failure { throw failure }
            return Outcome(code: 0, out: out, err: "")
        } catch let code as ExitCode {
            return Outcome(code: code.rawValue, out: out, err: "")
        } catch {
            let failure = CommandFailure(error)
            return Outcome(
                code: failure.exit.rawValue, out: out,
                err: "error: \(failure.code): \(failure.message)\n")
        }
    }
}
