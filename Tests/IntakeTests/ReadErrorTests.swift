import Foundation
import LedgerTestSupport
import Projection
import Synchronization
import TestSupport
import Testing

@testable import Intake

@Suite("A read error in the middle of an input")
struct ReadErrorTests {
    @Test("Every line read before the error is in the ledger when it is reported")
    func middle() async throws {
        // given: more than is read before the first lines are appended
        let batches = 2 * ProcessInfo.processInfo.activeProcessorCount + 4
        let line = try MadeChain().bought().line()
        let lines = Array(repeating: line, count: batches * Ingest.linesPerBatch)
        let ledger = try TemporaryLedger()
        let path = try ledger.directory.write(lines.inLines(), to: "unread.ndjson")
        let readCount: Mutex<Int?> = Mutex(nil)
        // when: reading fails from the first report on
        let (summary, failure) = try await ledger.failure(of: path) {
            readCount.withLock { $0 = $0 ?? Self.endReading(of: path) }
        }
        // then
        guard case .input = failure else {
            Issue.record("it is read: \(summary)")
            return
        }
        let byteCount = try #require(readCount.withLock { $0 })
        let whole = Int64(byteCount / (line.count + 1))
        #expect(whole < Int64(lines.count))
        #expect(summary.read == whole)
        #expect(summary.appended == 1)
        #expect(summary.duplicates == whole - 1)
    }

    /// Makes every further read of a file that this process has open fail: its descriptor becomes
    /// one of a directory. Returns the bytes read until then; nil if it is not open.
    private static func endReading(of path: String) -> Int? {
        let (files, name) = ("/proc/self/fd", URL(filePath: path).lastPathComponent)
        let manager = FileManager.default
        let directory = open("/", O_RDONLY | O_CLOEXEC)
        defer { close(directory) }
        for number in (try? manager.contentsOfDirectory(atPath: files)) ?? [] {
            guard let descriptor = Int32(number),
                let target = try? manager.destinationOfSymbolicLink(atPath: "\(files)/\(number)"),
                target.hasSuffix("/\(name)")
            else { continue }
            let byteCount = lseek(descriptor, 0, SEEK_CUR)
            guard dup2(directory, descriptor) >= 0 else { return nil }
            return Int(byteCount)
        }
        return nil
    }
}

extension TemporaryLedger {
    /// What was counted of a file until it could not be read any further.
    func failure(
        of path: String, report: @escaping @Sendable () -> Void = {}
    ) async throws -> (summary: IngestSummary, failure: Ingest.Failure?) {
        try await ledger { opened in
            let now = now
            let ingest = Ingest(
                ledger: opened, apps: configuration.apps, verifier: verifier
            ) { now }
            var summary = IngestSummary()
            do throws(Ingest.Failure) {
                try await ingest.run(paths: [path], into: &summary) { _ in report() }
                return (summary, nil)
            } catch { return (summary, error) }
        }
    }
}
