import AppStore
import Foundation
import GRDB
import Ledger
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Testing

/// Some queries are answered from an index, others from its table: comparing one of them finds no
/// difference between the two.
@Suite("Derived files whose tables and indexes contradict each other")
struct CheckedIndexTests {
    private static let chain = MadeChain(id: "570000000000001")
    private static let other = MadeChain(id: "570000000000005")
    private let chain = CheckedIndexTests.chain

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(chain.life + other.life)
        try await ledger.session { session in
            try await session.projections.walCheckpoint()
            try await session.ledger.facts.walCheckpoint()
        }
    }

    /// No evidence covers the periods before the renewal: that is a notice.
    private static let noticed = SharedLedger { ledger in
        _ = try await ledger.ingest(chain.life + [other.renewed(3)])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    /// Replaces a text in the only page of a table or an index that contains it.
    private func replace(
        _ old: String, by new: String, in tree: String, of path: String
    ) throws {
        let file = try DatabaseQueue(path: path)
        let root = try file.read { database in
            try Int.fetchOne(
                database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?",
                arguments: [tree])
        }
        try file.close()
        let start = (try #require(root) - 1) * 8_192
        var data = try Data(contentsOf: URL(filePath: path))
        let found = data.range(of: Data(old.utf8), in: start..<(start + 8_192))
        data.replaceSubrange(try #require(found), with: Data(new.utf8))
        try data.write(to: URL(filePath: path))
    }

    private func check(_ ledger: TemporaryLedger) async throws -> RebuildCheck.Report {
        try await ledger.session { session in
            try await RebuildCheck(try #require(session.projector)).run()
        }
    }

    private func path(_ ledger: TemporaryLedger, _ files: DerivedFiles) throws -> String {
        try #require(files.current())
    }

    /// A value of `subscriptions`, and its replacement.
    struct Change: Sendable, CustomTestStringConvertible {
        var tree: String
        var old: String
        var new: String

        var testDescription: String { "\(tree): \(new)" }
    }

    static let changes = [
        ("570000000000001", "570000000000003"), (MadeChain.app, "com.example.apq"),
    ].flatMap { old, new in
        ["subscriptions", "sqlite_autoindex_subscriptions_1"].map {
            Change(tree: $0, old: old, new: new)
        }
    }

    @Test(
        "A row's owner, altered in the table or the index alone, is found by the file's name",
        arguments: changes)
    func subscriptions(change: Change) async throws {
        let ledger = try await taken()
        let path = try path(ledger, .projections(in: ledger.environmentDirectory))
        try replace(change.old, by: change.new, in: change.tree, of: path)
        let report = try await check(ledger)
        let name = DerivedFiles.name(of: path)
        #expect(report.fileFindings == [name])
        #expect(report.faults[name]?.contains("sqlite_autoindex_subscriptions_1") == true)
        try await ledger.session { session in
            try await #require(session.projector).rebuild(fromLog: true)
        }
        #expect(try await check(ledger).fileFindings.isEmpty)
    }

    @Test("An index of the facts that lost an app is found, and no app is numbered twice")
    func apps() async throws {
        let ledger = try await taken()
        let path = try path(ledger, .facts(in: ledger.environmentDirectory))
        try replace(
            MadeChain.app, by: "com.example.apq", in: "sqlite_autoindex_apps_1", of: path)
        let report = try await check(ledger)
        let name = DerivedFiles.name(of: path)
        #expect(report.fileFindings == [name])
        #expect(report.faults[name]?.contains("sqlite_autoindex_apps_1") == true)
        let later = MadeChain(id: "570000000000009")
        _ = try await ledger.ingest([chain.renewed(4)] + later.life)
        #expect(try await ledger.exportLines(.subscriptions).count == 3)
        let file = try DatabaseQueue(path: path)
        #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM apps") } == 1)
        try file.close()
    }

    @Test("Facts that number an app twice are damaged: they are rebuilt, with a remark")
    func twoNumbers() async throws {
        let ledger = try await taken()
        let path = try path(ledger, .facts(in: ledger.environmentDirectory))
        // The constraint belongs to the index: it loses the app first.
        try replace(
            MadeChain.app, by: "com.example.apq", in: "sqlite_autoindex_apps_1", of: path)
        let spoilt = try DatabaseQueue(path: path)
        try await spoilt.write { database in
            try database.execute(
                sql: "INSERT INTO apps (bundle_id) VALUES (?)", arguments: [MadeChain.app])
        }
        try spoilt.close()
        _ = try await ledger.ingest([chain.renewed(4)])
        let remarks = try await ledger.session { $0.remarks }
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains(DerivedFiles.name(of: path)) == true)
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        #expect(try await check(ledger).fileFindings.isEmpty)
    }

    // MARK: Places

    @Test(
        "Rows after a gap are found by their table, whether copied there or moved",
        arguments: ["intervals", "life_facts", "notices"], [true, false])
    func gap(table: String, isCopy: Bool) async throws {
        let ledger = try await Self.noticed.copy()
        let found = try await ledger.session { session in
            let file = try DatabaseQueue(path: session.projections.path)
            defer { try? file.close() }
            try await file.write { database in
                let row = try #require(
                    try Row.fetchOne(
                        database,
                        sql: """
                            SELECT subscription, max(seq) AS seq FROM \(table)
                            GROUP BY subscription ORDER BY 1 DESC LIMIT 1
                            """))
                let (subscription, seq): (Int64, Int64) = (row["subscription"], row["seq"])
                try move(table, subscription, seq, isCopy, database)
            }
            return try await RebuildCheck(try #require(session.projector)).run()
        }
        #expect(found.count == 1)
        #expect(found.differences.flatMap(\.columns) == [table])
    }

    private func move(
        _ table: String, _ subscription: Int64, _ seq: Int64, _ isCopy: Bool, _ database: Database
    ) throws {
        guard isCopy else {
            return try database.execute(
                sql: "UPDATE \(table) SET seq = seq + 1000 WHERE subscription = ? AND seq = ?",
                arguments: [subscription, seq])
        }
        let names = try database.columns(in: table).map(\.name)
        let values = names.map { $0 == "seq" ? "seq + 1000" : $0 }.joined(separator: ", ")
        try database.execute(
            sql:
                "INSERT INTO \(table) SELECT \(values) FROM \(table) WHERE subscription = ? AND seq = ?",
            arguments: [subscription, seq])
    }
}
