import AppStore
import Foundation
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import TestSupport
import Testing

/// Disaster recovery as an operator practises it: losing the directory and restoring the backup.
@Suite("The recovery drill")
struct DrillTests {
    private static let lines: [[UInt8]] = {
        do {
            return try SubscriberWorld.histories(UInt64(Soak.count(12, soak: 60)))
                .map { try TestAuthority.signer.line($0) }
        } catch { fatalError("the lines cannot be signed: \(error)") }
    }()

    private func backUp(_ ledger: TemporaryLedger, to path: String) async throws {
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.backUp(
                ledger.configuration, environment: ledger.environment, to: path)
        }
    }

    private func restore(
        _ ledger: TemporaryLedger, from path: String, replaces: Bool = false
    ) async throws -> LogRestore.Report {
        try await Gate.ledgers.pass {
            try await EnvironmentLedger.restore(
                ledger.configuration, environment: ledger.environment, from: path,
                replaces: replaces, now: ledger.now
            ).restored
        }
    }

    @Test("Back up while appending, lose everything, restore, ingest the file again: all is there")
    func drill() async throws {
        let ledger = try TemporaryLedger()
        let all = DrillTests.lines
        let backup = ledger.directory.file("drill.backup")
        _ = try await ledger.ingest(Array(all.prefix(all.count / 3)))
        async let more = ledger.ingest(Array(all.prefix(2 * all.count / 3)))
        try await backUp(ledger, to: backup)
        _ = try await more
        _ = try await ledger.ingest(all)
        let before = try await ledger.export(.subscriptions, at: TemporaryLedger.end)
        try FileManager.default.removeItem(atPath: ledger.configuration.dataDirectory)

        let report = try await restore(ledger, from: backup)
        #expect(report.before == nil)
        let held = report.head.position
        #expect(held >= Int64(all.count / 3))
        let again = try await ledger.ingest(all)
        #expect(again.duplicates == held)
        #expect(again.appended == Int64(all.count) - held)
        let after = try await ledger.export(.subscriptions, at: TemporaryLedger.end)
        #expect(after == before)
        #expect(try await ledger.isSound())
    }

    @Test("Answers after a restore are the backup's, whatever was derived since")
    func goesBack() async throws {
        let ledger = try TemporaryLedger()
        let all = DrillTests.lines
        let backup = ledger.directory.file("drill.backup")
        _ = try await ledger.ingest(Array(all.prefix(all.count / 2)))
        let half = try await ledger.export(.subscriptions, at: TemporaryLedger.end)
        try await backUp(ledger, to: backup)
        _ = try await ledger.ingest(all)
        #expect(try await ledger.export(.subscriptions, at: TemporaryLedger.end) != half)
        let report = try await restore(ledger, from: backup, replaces: true)
        #expect(report.before == .position(Int64(all.count)))
        #expect(try await ledger.export(.subscriptions, at: TemporaryLedger.end) == half)
        #expect(try await ledger.isSound())
    }

    @Test("Without a log there is nothing to back up, and no log is created")
    func nothing() async throws {
        let ledger = try TemporaryLedger()
        let error = await #expect(throws: BackupError.self) {
            try await backUp(ledger, to: ledger.directory.file("x"))
        }
        #expect(error?.code == .noLog)
        #expect(!FileManager.default.fileExists(atPath: ledger.configuration.dataDirectory))
    }

    @Test("A directory that cannot be examined is not one without a log")
    func unknown() async throws {
        let ledger = try TemporaryLedger()
        let directory = ledger.environmentDirectory
        try #require(mkdir(ledger.configuration.dataDirectory, 0o700) == 0)
        // A link to itself cannot be followed, not even by the super-user.
        try #require(symlink(directory, directory) == 0)
        await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try await backUp(ledger, to: ledger.directory.file("x"))
        }
    }
}

extension SubscriberWorld {
    /// Production deliveries of the first lives, in order of arrival.
    fileprivate static func histories(_ count: UInt64) -> [Delivery] {
        let world = SubscriberWorld(bundleId: BundleId(MadeChain.app))
        let lives = (1...count).map { world.life(seed: $0) }
        return Delivery.inOrderOfArrival(
            lives.filter { $0.environment == .production }.flatMap(\.deliveries))
    }
}
