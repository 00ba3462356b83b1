import AppStore
import Faults
import Foundation
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// A directory with a log in one folder, a second folder for a restored log, and a backup.
struct BackupPlace: Sendable {
    let directory: TemporaryDirectory
    let now = Timestamp(milliseconds: 1_900_000_000_000)

    init() throws { directory = try TemporaryDirectory() }

    var source: String { directory.file("source") }
    var target: String { directory.file("target") }
    var backup: String { directory.file("log.backup") }

    func file(_ name: String) -> String { directory.file(name) }

    /// Everything in a folder, sorted.
    func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func open(_ folder: String) async throws -> EventLog {
        try await EventLog.open(directory: folder)
    }

    /// Appends to the log in a folder, then closes it.
    func append(_ events: [NewEvent], to folder: String) async throws {
        let log = try await open(folder)
        _ = try await log.append(events)
        await log.close()
    }

    @discardableResult
    func backUp(
        _ environment: Environment = .production, checkpointsOf operations: OperationsStore? = nil
    ) async throws -> LogBackup.Report {
        let log = try await open(source)
        do {
            let report = try await LogBackup(
                log, environment: environment, to: backup, checkpointsOf: operations
            ).run()
            await log.close()
            return report
        } catch {
            await log.close()
            throw error
        }
    }

    @discardableResult
    func restore(
        _ environment: Environment = .production, replaces: Bool = false
    ) async throws -> LogRestore.Report {
        try await LogRestore(
            backup, into: target, environment: environment, replaces: replaces, now: now
        ).run()
    }

    /// Every row with its evidence, and the head.
    func content(_ folder: String) async throws -> (head: LogHead, events: [RecordedEvent]) {
        let log = try await open(folder)
        let head = try await log.head()
        var events: [RecordedEvent] = []
        while true {
            let page = try await log.page(after: Int64(events.count))
            if page.isEmpty { break }
            events += page.map(\.event)
        }
        #expect(try await log.verify().isSound)
        await log.close()
        return (head, events)
    }

    /// Modifies a file's bytes.
    func rewrite(_ path: String, _ change: (inout Data) -> Void) throws {
        try LogTampering(path: path).rewrite(change)
    }

    static func failure(_ code: BackupError.Code) -> BackupError {
        BackupError(code, path: "", reason: "", remedy: "")
    }
}
