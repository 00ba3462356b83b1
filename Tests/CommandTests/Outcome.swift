import AppStore
import Foundation
import Testing

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
}
