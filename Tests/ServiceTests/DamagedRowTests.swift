import AppStore
import Faults
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Service
import TestSupport
import Testing

/// One event of the log cannot be read: its chain reports it, and the others are unaffected
/// (`Log.md` §3: no chain ever stops the others).
@Suite("A damaged row of the log")
struct DamagedRowTests {
    private let sound = Self.sound
    private let poisoned = Self.poisoned
    private static let sound = MadeChain(id: "580000000000001")
    private static let poisoned = MadeChain(id: "580000000000005")

    /// The damage to the event at position 4, `poisoned`'s renewal, or at the log's end; whether
    /// the row still names its chain.
    struct Damage: Sendable, CustomTestStringConvertible {
        var sql: String
        var position: Int64 = 4
        var namesChain = true

        var testDescription: String { sql }
    }

    static let damages: [Damage] = [
        Damage(sql: "UPDATE events SET kind = 99 WHERE position = 4"),
        Damage(sql: "UPDATE events SET trust = 77 WHERE position = 4"),
        Damage(sql: "UPDATE events SET leaf_hash = x'00' WHERE position = 4"),
        Damage(sql: "UPDATE events SET conflict = 1 WHERE position = 4"),
        Damage(sql: "UPDATE events SET kind = 99 WHERE position = 8", position: 8),
        Damage(
            sql: "UPDATE events SET leaf_hash = x'00', payload_hash = x'01' WHERE position = 8",
            position: 8),
        Damage(
            sql: "UPDATE events SET kind = 99, chain = NULL WHERE position = 4", namesChain: false),
        Damage(sql: "UPDATE evidence SET bytes = x'ff' WHERE position = 4"),
        Damage(sql: "DELETE FROM evidence WHERE position = 4"),
    ]

    /// Positions 1 and 2 are projected before the damage; 3 and later wait for it.
    private static let behind = Task {
        let ledger = try TemporaryLedger(in: TemporaryDirectory.shared())
        let (one, other) = (sound.life, poisoned.life)
        _ = try await ledger.ingest([one[0], other[0]])
        try await ledger.session { #expect($0.remarks.isEmpty) }
        _ = try await ledger.ingest([one[1], other[1], one[2], other[2], one[3], other[3]])
        return ledger
    }

    private func taken(isBehind: Bool) async throws -> TemporaryLedger {
        let ledger = try await Self.behind.value.copied()
        if !isBehind { try await ledger.session { #expect($0.head == 8) } }
        return ledger
    }

    private func log(_ ledger: TemporaryLedger) -> LogTampering {
        LogTampering(path: "\(ledger.environmentDirectory)/log.sqlite")
    }

    private func unreadable(_ shown: JSONValue) -> [Int64] {
        (shown["notices"]?.array ?? []).filter { $0["code"]?.string == "unreadable" }
            .flatMap { $0["evidence"]?.array ?? [] }.compactMap(\.int64)
    }

    private func differences(_ ledger: TemporaryLedger) async throws -> Int {
        try await ledger.session { session in
            let report = try await RebuildCheck(try #require(session.projector)).run()
            return report.count + report.fileFindings.count
        }
    }

    @Test(
        "The projector skips it, reports it once, and marks the chain",
        arguments: damages)
    func passedOver(damage: Damage) async throws {
        let ledger = try await taken(isBehind: true)
        try log(ledger).run(damage.sql)
        let remarks = try await ledger.session { session in
            #expect(session.head == 8)
            return session.remarks
        }
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("Position \(damage.position) of the log") == true)
        #expect(remarks.first?.contains("audit verify") == true)

        let other = try await ledger.show(sound.id)
        #expect(other["state"]?.string == "expired")
        #expect(unreadable(other) == [])
        let shown = try await ledger.show(poisoned.id)
        #expect(unreadable(shown) == (damage.namesChain ? [damage.position] : []))
        #expect(try await ledger.exportLines(.subscriptions).count == 2)
        // Applying events and rebuilding in bulk give the same.
        #expect(try await differences(ledger) == 0)
        try await ledger.session { session in
            let projector = try #require(session.projector)
            try await projector.rebuild(fromLog: true)
            #expect(projector.remarks == [.unreadable(position: damage.position)])
        }
        #expect(try await differences(ledger) == 0)
    }

    @Test("Copies of the log itself end there, and name the position")
    func handedOn() async throws {
        let ledger = try await taken(isBehind: true)
        try log(ledger).run(DamagedRowTests.damages[0].sql)
        await #expect {
            _ = try await ledger.exportLines(.events)
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .fileCorrupt && error?.reason.contains("Row 4") == true
                && error?.remedy.contains("restore") == true
        }
    }

    @Test("Appending continues, and duplicates are still recognized")
    func appended() async throws {
        let ledger = try await taken(isBehind: true)
        try log(ledger).run(DamagedRowTests.damages[0].sql)
        let later = MadeChain(id: "580000000000009")
        let summary = try await ledger.ingest(sound.life + later.life)
        #expect(summary.duplicates == 4)
        #expect(summary.appended == 4)
        #expect(try await ledger.show(later.id)["state"]?.string == "expired")
    }

    @Test(
        "Once the row is restored, all derived data is as if nothing had happened",
        arguments: [true, false])
    func repaired(isBehind: Bool) async throws {
        let damage = DamagedRowTests.damages[0]
        let ledger = try await taken(isBehind: isBehind)
        try log(ledger).run(damage.sql)
        if !isBehind {
            // Facts decoded before stay; only decoding again meets the row.
            #expect(try await differences(ledger) > 0)
            try await ledger.session { try await #require($0.projector).rebuild(fromLog: true) }
        }
        #expect(unreadable(try await ledger.show(poisoned.id)) == [4])
        try log(ledger).run("UPDATE events SET kind = 1 WHERE position = 4")
        #expect(try await differences(ledger) > 0)
        try await ledger.session { session in
            try await #require(session.projector).rebuild(fromLog: true)
        }
        try await ledger.session { #expect($0.remarks.isEmpty) }
        #expect(try await differences(ledger) == 0)
        let untouched = try await taken(isBehind: false)
        #expect(
            try await ledger.export(.subscriptions) == untouched.export(.subscriptions))
    }

    @Test("The doctor finds it while it exists")
    func examined() async throws {
        let ledger = try await taken(isBehind: false)
        func found() async -> [Doctor.Finding] {
            await ledger.examined().filter { $0.level == .bad && $0.subject == "log" }
        }
        #expect(await found().isEmpty)
        try log(ledger).run(DamagedRowTests.damages[0].sql)
        for _ in 1...2 {
            let findings = await found()
            #expect(findings.count == 1)
            #expect(findings.first?.message.contains("position 4") == true)
        }
    }
}
