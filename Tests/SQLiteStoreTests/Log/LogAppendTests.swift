import AppStore
import Foundation
import GRDB
import Ledger
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("Appending to the log")
struct LogAppendTests {
    @Test("Positions follow input order, contiguous over batches")
    func contiguity() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let first = try await log.append(Sample.events(0..<3))
        let second = try await log.append(Sample.events(3..<5))
        #expect(first == [1, 2, 3].map { .appended(position: $0) })
        #expect(second == [4, 5].map { .appended(position: $0) })
        let rows = try await log.events(after: 0)
        #expect(rows.map(\.position) == [1, 2, 3, 4, 5])
        #expect(rows.map { $0.attributes.notificationUUID?.rawValue } == (0..<5).map { "n\($0)" })
        #expect(try await log.head().position == 5)
        await log.close()
    }

    @Test("A row round-trips unchanged")
    func roundTrip() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let given = try Sample.event("n", at: 77)
        _ = try await log.append([given])
        let logged = try #require(try await log.event(at: 1))
        #expect(logged.event.attributes == given.attributes)
        #expect(logged.event.key == given.key)
        #expect(logged.event.receivedAt == given.receivedAt)
        #expect(logged.event.evidenceHash == given.evidence.evidenceHash)
        #expect(logged.event.payloadHash == given.evidence.payloadHash)
        #expect(!logged.event.isConflict)
        let original = try given.evidence.packed.originalBytes()
        #expect(try logged.evidence?.originalBytes() == original)
        #expect(try await log.event(at: 2) == nil)
        #expect(try await log.event(at: 0) == nil)
        await log.close()
    }

    @Test("A repeated delivery is a duplicate, in the same batch or a later one")
    func duplicates() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let event = try Sample.event("n")
        let first = try await log.append([event, event, try Sample.event("m"), event])
        #expect(
            first == [
                .appended(position: 1), .duplicate(of: 1), .appended(position: 2),
                .duplicate(of: 1),
            ])
        let head = try await log.head()
        #expect(try await log.append([event, event]) == [.duplicate(of: 1), .duplicate(of: 1)])
        #expect(try await log.head() == head)
        await log.close()
    }

    @Test("The same ids of another kind are another event")
    func kindsApart() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let token = Evidence.jws(Array(Sample.token(Sample.transaction("t")).utf8))
        let results = try await log.append([
            try Sample.event("t", kind: .transaction, evidence: token),
            try Sample.event("t", kind: .appTransaction, evidence: token),
        ])
        #expect(results == [.appended(position: 1), .appended(position: 2)])
        await log.close()
    }

    @Test("No two lists of ids share a key")
    func keys() {
        let keys = [
            EventKey.make(.transaction, ["1", "23"]), EventKey.make(.transaction, ["12", "3"]),
            EventKey.make(.transaction, ["123"]), EventKey.make(.transaction, ["123", nil]),
            EventKey.make(.transaction, ["123", ""]), EventKey.make(.renewalPair, ["123"]),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("An unclaimed arrival is never earlier than the newest unclaimed one")
    func clamp() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append([
            try Sample.event("a", at: 1_000),
            try Sample.event("b", at: 900),
            // An import may claim the past and the future.
            try Sample.event("c", at: 50, claimed: true),
            try Sample.event("d", at: 9_999, claimed: true),
            try Sample.event("e", at: 950),
        ])
        _ = try await log.append([try Sample.event("f", at: 1), try Sample.event("g", at: 1_001)])
        let rows = try await log.events(after: 0)
        #expect(
            rows.map(\.receivedAt.milliseconds) == [1_000, 1_000, 50, 9_999, 1_000, 1_000, 1_001])
        #expect(rows.map(\.receivedAtClaimed) == [false, false, true, true, false, false, false])
        #expect(try await log.head().newestReceivedAt == Timestamp(milliseconds: 1_001))
        await log.close()
    }

    @Test("A log with only claimed times has no newest one")
    func onlyClaimed() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append([try Sample.event("a", at: 5_000, claimed: true)])
        #expect(try await log.head().newestReceivedAt == nil)
        _ = try await log.append([try Sample.event("b", at: 7)])
        #expect(try await log.event(at: 2)?.event.receivedAt == Timestamp(milliseconds: 7))
        await log.close()
    }

    @Test("An empty append changes nothing")
    func emptyBatch() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        #expect(try await log.append([]) == [])
        #expect(try await log.head().position == 0)
        await log.close()
    }

    @Test("A closed log refuses to append and to read")
    func closed() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let events = try Sample.events(0..<1)
        await log.close()
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            try await log.append(events)
        }
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            try await log.head()
        }
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            try await log.checkpoint()
        }
    }

    @Test("Answered events are there after closing and reopening")
    func durability() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<10))
        let head = try await log.head()
        await log.close()
        let again = try await EventLog.open(directory: directory.path)
        #expect(try await again.head() == head)
        #expect(try await again.append(Sample.events(9..<11)).map(\.position) == [10, 11])
        await again.close()
    }

    @Test("A header is stored once, however many events use it")
    func headersOnce() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<20))
        _ = try await log.append([try Sample.event("x", header: Sample.otherHeader)])
        await log.close()
        let queue = try DatabaseQueue(path: directory.file("log.sqlite"))
        let count = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM headers")
        }
        #expect(count == 2)
        try queue.close()
    }

    @Test("Pages are bounded and cover the log exactly once", arguments: [1, 3, 7, 1_000])
    func paging(limit: Int) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<20))
        var positions: [Int64] = []
        var pages: [Int] = []
        while true {
            let page = try await log.page(after: positions.last ?? 0, through: 17, limit: limit)
            if page.isEmpty { break }
            pages.append(page.count)
            positions += page.map(\.event.position)
        }
        #expect(positions == Array(1...17))
        #expect(pages.allSatisfy { $0 <= limit })
        await log.close()
    }
}
