import AppStore
import GRDB
import Ledger
import Migrations
import Testing

@testable import LedgerStore

/// A file of an earlier release keeps what is in it.
@Suite("Operations of earlier releases")
struct OperationsMigrationTests {
    /// The file as of migration 7, with an item in quarantine, one that was removed before, and a
    /// change that waits.
    private func earlier(_ directory: TemporaryDirectory) throws {
        let file = DatabaseFile(
            path: directory.file(OperationsStore.fileName),
            applicationId: OperationsStore.applicationId,
            migrations: SchemaHistory.operations.prefix(7).map(SchemaStep.init),
            pageByteCount: OperationsStore.pageByteCount,
            cacheKibibytes: OperationsStore.cacheKibibytes)
        let connection = try file.openWriter()
        try connection.write { database in
            for id in [3, 7] {
                try database.execute(
                    sql: """
                        INSERT INTO quarantine (id, digest, received_at, latest_at, attempts,
                            standing, code, message, input, byte_count, bytes)
                        VALUES (?, randomblob(32), 1, 2, 1, 3, 'untrustedRoot', 'Why.', 'f:1', 2,
                            x'0102')
                        """, arguments: [id])
            }
            try database.execute(sql: "DELETE FROM quarantine WHERE id = 7")
            try database.execute(
                sql: "UPDATE quarantine_totals SET items = 1, bytes = 2 WHERE standing = 3")
            try database.execute(
                sql: """
                    INSERT INTO webhook_waiting VALUES ('books', 1, 0, 0, 0, 'a', 'c', 2, 3, 4,
                        'status 500', NULL)
                    """)
        }
        try connection.close()
    }

    @Test("What was kept and what waits is there, and no id is used twice")
    func kept() async throws {
        let directory = try TemporaryDirectory()
        try earlier(directory)
        let store = try await OperationsStore.open(directory: directory.path)
        let item = try #require(try await store.quarantineItem(3))
        #expect(item.standing == .unverifiable)
        #expect(item.bytes == [1, 2])
        let waiting = try await store.waiting(for: "books", limit: 10)
        #expect(waiting.map(\.attempts) == [2])
        #expect(waiting.first?.chain.originalTransactionId.rawValue == "c")
        let new = NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .awaitingSecret, code: "x",
            message: "Why.", bytes: [9], input: "f:2")
        #expect(try await store.quarantine(new) == .kept(id: 8))
        await store.close()
    }
}
