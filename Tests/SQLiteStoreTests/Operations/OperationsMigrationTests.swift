import AppStore
import Foundation
import GRDB
import Ledger
import Migrations
import Signing
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// A file made by the eleven scripts that one replaced. Both make the same tables; only the record
/// of migrations differs.
@Suite("Operations made by replaced scripts")
struct OperationsMigrationTests {
    private static let replaced = SchemaHistory.operations[0].replaced ?? ""

    /// Undoes the fifteenth and the sixteenth script.
    private static let withoutColumns = """
        ALTER TABLE recoveries DROP COLUMN reached_leaf;
        ALTER TABLE backfill_runs DROP COLUMN position;
        ALTER TABLE backfill_runs DROP COLUMN leaf_hash;
        ALTER TABLE feed_clock DROP COLUMN rules
        """

    /// A file with one quarantined item, whose record of migrations is as given.
    private func earlier(
        _ directory: TemporaryDirectory, versions: ClosedRange<Int>, checksum: String
    ) async throws {
        let store = try await OperationsStore.open(directory: directory.path)
        let item = NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .awaitingSecret, code: "x",
            message: "Why.", bytes: [1, 2], input: "f:1")
        #expect(try await store.quarantine(item) == .kept(id: 1))
        await store.close()
        let file = try DatabaseQueue(path: directory.file(OperationsStore.fileName))
        try await file.write { database in
            try database.execute(sql: "DELETE FROM migrations")
            let known = SchemaHistory.operations.dropFirst().filter { versions ~= $0.version }
            if known.isEmpty {
                try database.execute(
                    sql: """
                        DROP TABLE checkpoints; DROP TABLE retention_answers;
                        DROP TABLE erasure_count;
                        \(OperationsMigrationTests.withoutColumns)
                        """)
            }
            for step in known {
                try database.execute(
                    sql: "INSERT INTO migrations VALUES (?, ?, ?)",
                    arguments: [step.version, step.name, Data(SHA256.hash(step.sql).bytes)])
            }
            for version in versions where !known.contains(where: { $0.version == version }) {
                let recorded = version == 11 ? checksum : String(repeating: "0", count: 64)
                try database.execute(
                    sql: "INSERT INTO migrations VALUES (\(version), 'earlier', x'\(recorded)')")
            }
        }
        try file.close()
    }

    private func code(_ directory: TemporaryDirectory) async throws -> StoreError.Code? {
        do throws(StoreError) {
            let store = try await OperationsStore.open(directory: directory.path)
            await store.close()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("The file of all eleven opens with its contents")
    func kept() async throws {
        let directory = try TemporaryDirectory()
        try await earlier(directory, versions: 1...11, checksum: Self.replaced)
        let store = try await OperationsStore.open(directory: directory.path)
        #expect(try await store.quarantineItem(1)?.bytes == [1, 2])
        await store.close()
    }

    @Test("Answers to retention requests of the release before stay, without an offer")
    func answers() async throws {
        let directory = try TemporaryDirectory()
        let chain = ChainId(
            bundleId: BundleId("com.example"), originalTransactionId: OriginalTransactionId("1"))
        let at = Timestamp(milliseconds: 1_770_000_000_000)
        var record = RetentionRecord(
            requestId: "a", chain: chain, at: at, outcome: .shown, rule: "r", message: "m",
            promotionalOffer: "stay")
        let store = try await OperationsStore.open(directory: directory.path)
        let isKept = try await store.keep([record], erasures: 0)
        #expect(isKept)
        await store.close()
        let file = try DatabaseQueue(path: directory.file(OperationsStore.fileName))
        try await file.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE retention_answers DROP COLUMN promotional_offer;
                    DROP TABLE erasure_count;
                    \(OperationsMigrationTests.withoutColumns);
                    DELETE FROM migrations WHERE version >= 14
                    """)
        }
        try file.close()
        let opened = try await OperationsStore.open(directory: directory.path)
        let found = try await opened.retentionAnswers(
            after: RetentionRecord.Place(before: at), before: at.advanced(byMilliseconds: 1),
            limit: 10)
        record.promotionalOffer = nil
        #expect(found == [record])
        #expect(try await opened.erasureCount() == 0)
        await opened.close()
    }

    @Test("A file of fewer, of another eleventh, or of a later one is refused")
    func refused() async throws {
        let fewer = try TemporaryDirectory()
        try await earlier(fewer, versions: 1...10, checksum: Self.replaced)
        #expect(try await code(fewer) == .fileChanged)
        let other = try TemporaryDirectory()
        try await earlier(other, versions: 1...11, checksum: String(repeating: "1", count: 64))
        #expect(try await code(other) == .fileChanged)
        let later = try TemporaryDirectory()
        let newest = try #require(SchemaHistory.operations.last).version
        try await earlier(later, versions: 1...(newest + 1), checksum: Self.replaced)
        #expect(try await code(later) == .fileNewer)
    }
}
