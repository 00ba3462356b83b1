import AppStore
import Faults
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

@Suite("Damaged or deleted derived files")
struct HealingTests {
    private let other = MadeChain(id: "570000000000005")

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(MadeChain(id: "570000000000001").life)
        try await ledger.session { session in
            try await session.projections.walCheckpoint()
            try await session.ledger.facts.walCheckpoint()
        }
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    /// Overwrites everything after the first page, which holds the schema.
    private func damage(_ path: String) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        for index in 8_192..<data.count { data[index] = 0xA5 }
        try data.write(to: URL(filePath: path))
    }

    private func expectWhole(_ ledger: TemporaryLedger) async throws {
        let shown = try await ledger.exportLines(.subscriptions)
        #expect(shown.count == 2)
        try await ledger.session { session in
            let found = try await RebuildCheck(try #require(session.projector)).run()
            #expect(found.count == 0)
            #expect(found.fileFindings.isEmpty)
        }
    }

    @Test("Whatever page of the projections is damaged, the next events are ingested all the same")
    func projections() async throws {
        let ledger = try await taken()
        let path = try await ledger.session { $0.projections.path }
        try damage(path)
        _ = try await ledger.ingest(other.life)
        try await expectWhole(ledger)
        #expect(try await ledger.session { $0.projections.path } != path)
    }

    @Test("Whatever page of the facts is damaged, the next events are ingested all the same")
    func facts() async throws {
        let ledger = try await taken()
        try damage(try await ledger.session { $0.ledger.facts.path })
        _ = try await ledger.ingest(other.life)
        try await expectWhole(ledger)
    }

    @Test("A rebuild with unreadable facts decodes the log, with and without the flag")
    func rebuild() async throws {
        let ledger = try await taken()
        _ = try await ledger.ingest(other.life)
        try damage(
            try await ledger.session { session in
                try await session.ledger.facts.walCheckpoint()
                return session.ledger.facts.path
            })
        try await ledger.session { try await #require($0.projector).rebuild() }
        try await expectWhole(ledger)
    }

    @Test(
        "Where one fact or the metadata is damaged, other rules decode the log, and a remark says so",
        arguments: [
            "UPDATE facts SET body = substr(body, 1, 1) WHERE position = 2",
            "ALTER TABLE meta RENAME COLUMN value TO valve",
        ])
    func otherRules(damage: String) async throws {
        // given
        var ledger = try await taken()
        let path = try await ledger.session { $0.ledger.facts.path }
        try LogTampering(path: path).run(damage)
        ledger.configuration.catalogue.products[ProductId("com.example.pass")] = nil
        // when
        let remarks = try await ledger.session { $0.remarks }
        // then
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("facts are decoded from the log again") == true)
        _ = try await ledger.ingest(other.life)
        try await expectWhole(ledger)
    }

    @Test("Beside a process that projects, damaged metadata ends no session: it waits and rebuilds")
    func besideProjector() async throws {
        // given
        let place = try await taken()
        _ = try await place.ingest(other.life)
        let path = try await place.session { session in
            try await session.projections.walCheckpoint()
            return session.projections.path
        }
        try LogTampering(path: path).run("ALTER TABLE meta RENAME COLUMN value TO valve")
        // when
        let remarks = try await place.ledger { ledger in
            var lock = try ProjectorLock.take(directory: ledger.directory)
            #expect(lock != nil)
            async let opening = LedgerSession.open(ledger)
            // For some rounds the file is read beside the holder of the lock.
            try await Task.sleep(for: .milliseconds(300))
            lock = nil
            let session = try await opening
            try session.projections.close()
            return session.remarks
        }
        // then
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("was damaged; the projections are rebuilt") == true)
        try await expectWhole(place)
    }

    @Test("Facts deleted under an open projector are rebuilt automatically and at once")
    func factsGone() async throws {
        let ledger = try await taken()
        try await ledger.session { session in
            let files = try FileDamage.names(in: ledger.environmentDirectory)
                .filter { $0.hasPrefix("facts-") }
            try FileDamage.remove(files, in: ledger.environmentDirectory)
            let head = try await #require(session.projector).catchUp()
            #expect(head == session.head)
            #expect(try await session.ledger.facts.checkpoint().position == head)
        }
        _ = try await ledger.ingest(other.life)
        try await expectWhole(ledger)
    }
}
