import AppStore
import Faults
import Foundation
import GRDB
import Ledger
import LedgerTestSupport
import Signing
import Synchronization
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Auditing the log")
struct LogAuditTests {
    /// The file of a log of twenty events, one of them a conflict.
    static let twenty = Task {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<18))
        _ = try await log.append([try Sample.event("n3", price: 5)])
        _ = try await log.append([try Sample.command("c", Array(#"{"a":1}"#.utf8))])
        await log.close()
        return try Data(contentsOf: URL(filePath: directory.file("log.sqlite")))
    }

    /// Findings after SQL was run, without triggers, on `twenty`.
    ///
    /// - Parameter isRewritten: whether leaves, tree and root are then made to match the rows.
    private func findings(_ sql: String, isRewritten: Bool = false) async throws -> [LogFinding] {
        let directory = try TemporaryDirectory()
        try await Self.twenty.value.write(to: URL(filePath: directory.file("log.sqlite")))
        let tampering = LogTampering(path: directory.file("log.sqlite"))
        try tampering.run(sql)
        if isRewritten { try tampering.run(try await rewriting(directory)) }
        let again = try await EventLog.open(directory: directory.path)
        let report = try await again.verify()
        await again.close()
        #expect(report.isSound == report.findings.isEmpty)
        return report.findings
    }

    /// SQL that gives every row the leaf it should have, and the head their tree.
    private func rewriting(_ directory: TemporaryDirectory) async throws -> String {
        let log = try await EventLog.open(directory: directory.path)
        let events = try await log.events(after: 0)
        await log.close()
        var tree = CompactRange()
        var sql = ""
        for event in events {
            let leaf = event.computedLeafHash()
            tree.append(leaf)
            sql += "UPDATE events SET leaf_hash = x'\(leaf.hexadecimal)'"
            sql += " WHERE position = \(event.position);"
        }
        let nodes = tree.nodes.map(\.hexadecimal).joined()
        return sql + "UPDATE head SET root = x'\(tree.root.hexadecimal)', tree = x'\(nodes)'"
    }

    @Test(
        "An untouched log is sound, empty or not, and progress is reported up to the end",
        arguments: [0, 1, 1_100])
    func sound(count: Int) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        for start in stride(from: 0, to: count, by: 300) {
            _ = try await log.append(Sample.crowd(start..<min(start + 300, count)))
        }
        let reported = Progress()
        let report = try await log.verify { done, all in reported.note(done, all) }
        #expect(report.isSound)
        #expect(report.eventCount == Int64(count))
        #expect(report.head == (try await log.head()))
        #expect(reported.last == (count == 0 ? [] : [Int64(count), Int64(count)]))
        await log.close()
    }

    @Test("In a cancelled task, as where the service ends, it ends without a finding")
    func cancelled() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.crowd(0..<1))
        let outcome = await withThrowingTaskGroup(of: LogAuditReport.self) { group in
            group.cancelAll()
            group.addTask { try await log.verify() }
            return await group.nextResult()
        }
        let error = #expect(throws: StoreError.self) { try outcome?.get() }
        #expect(error?.code == .closed)
        await log.close()
    }

    @Test("A read of the whole file ends with its task, within a statement, and no other one does")
    func cancelledRead() async throws {
        // given
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let endless = """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
            SELECT n FROM numbers
            """
        // when
        let reading = Task {
            try await log.read(cancellable: true) { database in
                try database.rows(endless) { row -> Int64? in
                    if row.int64(0) == 1_000 { withUnsafeCurrentTask { $0?.cancel() } }
                    return nil
                }
            }
        }
        // then
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            _ = try await reading.value
        }
        let report = try await log.verify()
        #expect(report.isSound)
        await log.close()
    }

    static let rowChanges = [
        "key = zeroblob(32)", "kind = 2", "source = 2", "trust = 4", "bundle_id = 'com.examplf'",
        "chain = 'x'", "chain = NULL", "notification_type = 'EXPIRED'", "subtype = 'VOLUNTARY'",
        "notification_uuid = 'x'", "signed_at = signed_at + 1", "signed_at = NULL",
        "received_at = received_at + 1", "received_at_claimed = 1",
        "root_fingerprint = zeroblob(32)", "root_fingerprint = NULL",
        "payload_hash = zeroblob(32)", "evidence_hash = zeroblob(32)", "leaf_hash = zeroblob(32)",
        "conflict = 1, identity = key",
    ]

    @Test("A change in any column of a row is found at its position, and none at another row's")
    func rows() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<2 * Self.rowChanges.count))
        await log.close()
        // Every second row is changed, each in another column.
        let changes = Self.rowChanges.enumerated().map { (position: 2 * $0 + 2, change: $1) }
        try LogTampering(path: directory.file("log.sqlite")).run(
            changes.map { "UPDATE events SET \($0.change) WHERE position = \($0.position)" }
                .joined(separator: ";"))
        let again = try await EventLog.open(directory: directory.path)
        let found = try await again.verify().findings
        await again.close()
        for (position, change) in changes {
            #expect(found.contains(LogFinding(.leafHashMismatch, at: Int64(position))), "\(change)")
        }
        #expect(
            found.allSatisfy { ($0.position ?? 0).isMultiple(of: 2) || $0.code == .timeGoesBack })
    }

    static let rewrittenChanges: [(change: String, codes: [LogFinding.Code])] = [
        ("received_at = received_at - 1", [.timeGoesBack]),
        // As an import line may claim.
        ("received_at = received_at - 1, received_at_claimed = 1", []),
        ("payload_hash = zeroblob(32)", [.payloadHashMismatch]),
        ("evidence_hash = zeroblob(32)", [.evidenceHashMismatch]),
    ]

    @Test(
        "Where leaf, tree and head were made to match a change, what contradicts it is found",
        arguments: rewrittenChanges)
    func rewritten(change: String, codes: [LogFinding.Code]) async throws {
        let found = try await findings(
            "UPDATE events SET \(change) WHERE position = 7", isRewritten: true)
        #expect(found == codes.map { LogFinding($0, at: 7) })
    }

    @Test("A row that a search by its position does not find is a finding")
    func unreachable() throws {
        let made = try Sample.event("n0")
        let event = RecordedEvent(
            position: 1, key: made.key, attributes: made.attributes, receivedAt: made.receivedAt,
            receivedAtClaimed: false, identity: nil, payloadHash: made.evidence.payloadHash,
            evidenceHash: made.evidence.evidenceHash)
        func findings(isReachable: Bool) -> [LogFinding] {
            AuditRow(
                position: 1, event: event, evidence: .packed(made.evidence.packed),
                isReachable: isReachable
            ).findings()
        }
        #expect(findings(isReachable: true).isEmpty)
        #expect(findings(isReachable: false) == [LogFinding(.rowUnreachable, at: 1)])
    }

    @Test("A conflict that lost its mark is found")
    func conflict() async throws {
        let found = try await findings(
            "UPDATE events SET conflict = 0, identity = NULL WHERE position = 19")
        #expect(found.map(\.position).contains(19))
    }

    /// A header without references, under its correct hash.
    private static func header(id: Int64) -> String {
        let hash = SHA256.hash([1, 2, 3]).hexadecimal
        return "INSERT INTO headers VALUES (\(id), x'\(hash)', x'010203')"
    }

    static let others: [(sql: String, code: LogFinding.Code, position: Int64?)] = [
        ("UPDATE events SET kind = 99 WHERE position = 4", .rowUnreadable, 4),
        ("UPDATE events SET conflict = 1 WHERE position = 4", .rowUnreadable, 4),
        ("DELETE FROM events WHERE position = 4", .positionMissing, 4),
        ("DELETE FROM events WHERE position = 20", .positionMissing, 20),
        ("DELETE FROM events WHERE position = 1", .positionMissing, 1),
        ("DELETE FROM events", .positionMissing, 1),
        ("DELETE FROM evidence WHERE position = 4", .evidenceMissing, 4),
        ("UPDATE evidence SET form = 9 WHERE position = 4", .evidenceUnreadable, 4),
        ("UPDATE evidence SET form = 0 WHERE position = 4", .evidenceHashMismatch, 4),
        ("UPDATE evidence SET bytes = x'' WHERE position = 4", .evidenceUnreadable, 4),
        (
            "UPDATE evidence SET bytes = (SELECT bytes FROM evidence WHERE position = 5) "
                + "WHERE position = 4", .evidenceHashMismatch, 4
        ),
        ("UPDATE evidence SET bytes = x'7b7d' WHERE position = 20", .evidenceHashMismatch, 20),
        ("UPDATE evidence SET bytes = NULL WHERE position = 4", .evidenceErased, 4),
        ("UPDATE evidence SET bytes = randomblob(900) WHERE position = 4", .evidenceUnreadable, 4),
        ("INSERT INTO evidence VALUES (21, 1, x'00')", .evidenceSurplus, 21),
        ("INSERT INTO evidence VALUES (9223372036854775807, 1, NULL)", .evidenceSurplus, .max),
        ("INSERT INTO evidence VALUES (0, 0, x'')", .evidenceSurplus, 0),
        ("INSERT INTO evidence VALUES (-1, 0, x'')", .evidenceSurplus, -1),
        (header(id: 2), .headerSurplus, nil),
        (header(id: .max), .headerSurplus, nil),
        (header(id: 0), .headerSurplus, nil),
        (header(id: -1), .headerSurplus, nil),
        ("DELETE FROM headers", .evidenceUnreadable, 1),
        ("UPDATE headers SET bytes = x'00'", .headerHashMismatch, nil),
        ("UPDATE headers SET hash = zeroblob(32)", .headerHashMismatch, nil),
        ("UPDATE head SET root = zeroblob(32)", .treeMismatch, nil),
        ("UPDATE head SET root = zeroblob(32)", .headMismatch, nil),
        ("UPDATE head SET tree = zeroblob(64)", .treeMismatch, nil),
        ("UPDATE head SET tree = x''", .headMismatch, nil),
        ("UPDATE head SET position = 19", .headMismatch, nil),
        ("UPDATE head SET position = 21", .positionMissing, 21),
        ("UPDATE head SET newest_received_at = newest_received_at + 1", .headMismatch, nil),
        ("UPDATE head SET newest_received_at = NULL", .headMismatch, nil),
        ("DELETE FROM head", .headMismatch, nil),
        ("DROP INDEX events_key", .keyIndexMismatch, nil),
        (
            """
            DROP INDEX events_key;
            CREATE UNIQUE INDEX events_key ON events (key) WHERE position <> 4;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX events_key ON events (key)'
            WHERE name = 'events_key';
            """, .keyIndexMismatch, nil
        ),
    ]

    @Test("Damage anywhere is found and named", arguments: others)
    func damage(sql: String, code: LogFinding.Code, position: Int64?) async throws {
        let found = try await findings(sql)
        #expect(found.contains { $0.code == code && $0.position == position }, "\(found)")
    }

    @Test("Evidence erased without an authorising event is found, counted, and still readable")
    func tombstone() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        await log.close()
        try LogTampering(path: directory.file("log.sqlite")).run(
            "UPDATE evidence SET bytes = NULL WHERE position = 2")
        let again = try await EventLog.open(directory: directory.path)
        let report = try await again.verify()
        #expect(report.findings == [LogFinding(.evidenceErased, at: 2)])
        #expect(report.tombstoneCount == 1)
        let page = try await again.page(after: 0)
        #expect(page.map { $0.evidence == nil } == [false, true, false])
        #expect(page.allSatisfy { $0.damage == nil })
        // Its key remains: whatever comes under it again is a duplicate, and brings nothing back.
        #expect(try await again.append(Sample.events(1..<2)) == [.duplicate(of: 2)])
        #expect(
            try await again.append([try Sample.event("n1", price: 3)]) == [.duplicate(of: 2)])
        await again.close()
    }

    @Test("Reading a damaged row throws")
    func readingDamage() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        await log.close()
        try LogTampering(path: directory.file("log.sqlite")).run(
            "UPDATE events SET kind = 99 WHERE position = 2; UPDATE head SET root = zeroblob(32)")
        let again = try await EventLog.open(directory: directory.path)
        let corrupt = StoreError(.fileCorrupt, reason: "", remedy: "")
        await #expect(throws: corrupt) { try await again.events(after: 0) }
        await #expect(throws: corrupt) { try await again.page(after: 1) }
        await #expect(throws: corrupt) { try await again.head() }
        await #expect(throws: corrupt) { try await again.append(try Sample.events(3..<4)) }
        await again.close()
    }

    static let unreadable = [
        "UPDATE evidence SET bytes = x'ffffffffffff' WHERE position = 2",
        "UPDATE evidence SET form = 9 WHERE position = 2",
        "DELETE FROM evidence WHERE position = 2",
    ]

    @Test(
        "Unreadable evidence stops neither its neighbours nor an append",
        arguments: unreadable)
    func unreadableEvidence(sql: String) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        await log.close()
        try LogTampering(path: directory.file("log.sqlite")).run(sql)
        let again = try await EventLog.open(directory: directory.path)
        let corrupt = StoreError(.fileCorrupt, reason: "", remedy: "")
        let page = try await again.page(after: 0)
        #expect(page.map(\.event.position) == [1, 2, 3])
        #expect(throws: corrupt) { try page[1].originalBytes() }
        for logged in [page[0], page[2]] {
            #expect(logged.damage == nil)
            #expect(try logged.originalBytes()?.isEmpty == false)
        }
        for logged in page {
            let flaw = FactDecoder.decode(logged).first?.fact.flaw
            #expect((flaw == .undecodable) == (logged.event.position == 2))
        }
        // Other claims cannot be compared with it, so they are stored as a conflict.
        #expect(
            try await again.append([try Sample.event("n1", price: 3), try Sample.event("n9")])
                == [.conflict(position: 4), .appended(position: 5)])
        await again.close()
    }

    @Test("An audited page omits damaged rows and reports unreadable evidence")
    func auditedPage() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<4))
        await log.close()
        try LogTampering(path: directory.file("log.sqlite")).run(
            """
            UPDATE events SET kind = 99 WHERE position = 4;
            UPDATE evidence SET bytes = x'ff' WHERE position = 2;
            UPDATE evidence SET bytes = NULL WHERE position = 3
            """)
        let again = try await EventLog.open(directory: directory.path)
        let page = try #require(try await again.auditedPage(after: 0, through: 4))
        #expect(page.last == 4)
        #expect(page.events.map(\.event.position) == [1, 2, 3])
        #expect(page.events.map { $0.evidence != nil } == [true, false, false])
        #expect(page.events.map { $0.damage != nil } == [false, true, false])
        #expect(try await again.auditedPage(after: 4, through: 4) == nil)
        await again.close()
    }

    @Test(
        "A missing table is a finding that names it",
        arguments: ["events", "evidence", "head", "headers"])
    func missing(table: String) async throws {
        let directory = try TemporaryDirectory()
        try await Self.twenty.value.write(to: URL(filePath: directory.file("log.sqlite")))
        let file = try DatabaseQueue(path: directory.file("log.sqlite"))
        try await file.write { try $0.execute(sql: "DROP TABLE \(table)") }
        try file.close()
        let log = try await EventLog.open(directory: directory.path)
        #expect(try await log.verify().findings == [LogFinding(.fileDamaged, table: table)])
        await log.close()
    }

    @Test("Findings beyond the bound are counted, not stored")
    func manyFindings() {
        var report = LogAuditReport()
        for _ in 0...LogAuditReport.findingLimit { report.add(LogFinding(.headMismatch)) }
        #expect(report.findings.count == LogAuditReport.findingLimit)
        #expect(report.findingsOmitted == 1)
        #expect(!report.isSound)
    }

    @Test("An erasure that commits during an audit is no damage")
    func erasedMeanwhile() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        // Pages that are read before the erasure, and after it.
        for start in stride(from: 0, to: 1_100, by: 300) {
            _ = try await log.append(Sample.crowd(start..<min(start + 300, 1_100)))
        }
        let isErased = Mutex(false)
        let report = try await log.verify { _, _ in
            let isFirst = isErased.withLock { done in
                defer { done = true }
                return !done
            }
            guard isFirst, let erasure = try? LogErasureTests.erasure("e", [3, 1_053]) else {
                return
            }
            _ = try? await log.erase(erasure, within: LogErasureTests.scope(1_100, []))
        }
        #expect(try await log.head().position == 1_101)
        #expect(report.isSound && report.tombstoneCount > 0, "\(report.findings)")
        #expect(try await log.verify().tombstoneCount == 2)
        await log.close()
    }
}
