import AppStore
import Dispatch
import Foundation
import Synchronization

@testable import Intake

/// An input of `ingest`: parsed as one line, and split into lines.
struct IngestLineTarget: FuzzTarget {
    let name = "ingestLine"
    let maximumByteCount = 32 * 1_024

    func seeds(_ source: SeedSource) throws -> [[UInt8]] {
        let lines = try source.lines
        let token = #""e30.e30.AAAA""#
        let bodies = [
            #"{"receivedAt":"2026-01-31T23:59:59.000Z","signedPayload":\#(token)}"#,
            #"{"signedTransactions":[\#(token),\#(token),7],"hasMore":false}"#,
            #"{"notificationHistory":[{"signedPayload":\#(token)},{}]}"#,
            #"{"data":[{"lastTransactions":[{"signedTransactionInfo":\#(token)}]},{}]}"#,
            #"{"signedAppTransactionInfo":\#(token)}"#,
            #"{"signedRenewalInfo":\#(token)}"#, "{\n\"signedPayload\":\n\(token)}\n",
        ].map { Array($0.utf8) }
        return lines + bodies + [Array(bodies.joined(separator: [10]))]
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let input = Array(bytes)
        checkLine(input)
        // Reading files is slow, and a text of one line can be split in only one way.
        if input.contains(10) || input.count & 15 == 0 { checkSplitting(input) }
    }

    private func checkLine(_ line: [UInt8]) {
        guard let submissions = try? InputLine.submissions(line, input: "input:1") else { return }
        require(submissions.count <= InputLine.maximumPieces, "the pieces of a body are bounded")
        for submission in submissions {
            guard let again = kept(submission) else { continue }
            require(again == FormText(submission), "a quarantined submission round-trips")
        }
    }

    /// The meaning of the line kept by the quarantine; nil where none is guaranteed.
    private func kept(_ submission: Submission) -> FormText? {
        if case .unreadable = submission.form { return nil }
        guard
            let found = try? InputLine.submissions(submission.line, input: submission.input),
            found.count == 1
        else { return FormText() }
        return FormText(found[0])
    }

    /// The reader's lines equal those of the reference rule, for a file read in one piece and in
    /// two.
    private func checkSplitting(_ input: [UInt8]) {
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: LineReader.readByteCount - 8)
        for whole in [input, filler + [10] + input] {
            let expected = PlainLines.split(whole)
            require(IngestLineTarget.read(whole) == expected, "lines match the reference rule")
            guard input.count > 1, input[0] & 7 == 0 else { return }
        }
    }

    private static let pathTemplate = FileManager.default.temporaryDirectory
        .appending(path: "subledger-fuzz-XXXXXX").path

    private static func read(_ bytes: [UInt8]) -> [PlainLines.Line]? {
        var template = Array(pathTemplate.utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        unlink(template)
        guard bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count else {
            return nil
        }
        let path = "/proc/self/fd/\(descriptor)"
        let result = Mutex<[PlainLines.Line]?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let lines = await readLines(path)
            result.withLock { $0 = lines }
            isDone.signal()
        }
        isDone.wait()
        return result.withLock { $0 }
    }

    private static func readLines(_ path: String) async -> [PlainLines.Line]? {
        guard let reader = try? LineReader(path: path) else { return nil }
        var lines: [PlainLines.Line] = []
        while let chunks = try? await reader.next(limit: 3, byteLimit: 1_000) {
            if chunks.isEmpty { return lines }
            lines += chunks.map { PlainLines.Line(number: $0.line, bytes: $0.bytes) }
        }
        return nil
    }
}
