import AppStore
import Foundation
import Queries

/// Standard output and standard error.
enum Terminal {
    static func out(_ bytes: [UInt8]) throws {
        do { try FileHandle.standardOutput.write(contentsOf: bytes) } catch {
            throw CommandFailure("outputClosed", "Standard output cannot be written.", .io)
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

    /// Writes a failure as one line.
    static func error(_ failure: CommandFailure) {
        note("error: \(failure.code): \(failure.message)".printable)
    }

    static var now: Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }
}
