import AppStore
import Ledger
import LedgerStore
import PostgresSupport
import Testing

@testable import PostgresStore

@Suite("Questions to a log in PostgreSQL", .postgres)
struct LogQueryTests {
    @Test("Arrivals, sweeps and late notifications")
    func completeness() async throws {
        let database = try Database()
        let log = try await database.open()
        let empty = Evidence.verbatim([])
        _ = try await log.append([
            Made.event("a", kind: .notification, evidence: empty, receivedAt: 1_000),
            Made.event("b", kind: .sweep, evidence: empty, receivedAt: 1_100),
            Made.event(
                "c", kind: .notification, evidence: empty, signedAt: 400, receivedAt: 1_200),
            Made.event(
                "d", kind: .notification, evidence: empty, type: "TEST", receivedAt: 1_300),
            Made.event(
                "e", kind: .notification, evidence: empty, bundleId: "other", receivedAt: 1_400),
        ])
        let app = BundleId("com.example")
        let end = Timestamp(milliseconds: 1_250)
        let arrivals = try await log.arrivals(
            of: app, since: Timestamp(milliseconds: 0), through: end, limit: 10)
        #expect(arrivals.map(\.receivedAt.milliseconds) == [1_200, 1_000])
        #expect(try await log.lastArrival(of: app, through: end)?.milliseconds == 1_200)
        #expect(try await log.lastArrival(of: BundleId("none"), through: end) == nil)
        #expect(try await log.sweepPositions(through: 5) == [2])
        #expect(try await log.sweepPositions(through: 1) == [])
        let late = try await log.notifications(
            of: app, signedFrom: Timestamp(milliseconds: 0),
            before: Timestamp(milliseconds: 600), after: 1, through: 5)
        #expect(late.found.map(\.position) == [3] && late.next == 5)
        await log.close()
    }

    @Test("Trees are extended, and events found by key and by what they repeat")
    func keys() async throws {
        let database = try Database()
        let log = try await database.open()
        let events = try Made.events(0..<5)
        _ = try await log.append(events)
        let tree = try await log.tree()
        #expect(try await log.extended(CompactRange(), through: 5) == tree)
        #expect(try await log.extended(CompactRange(), through: 3)?.size == 3)
        #expect(try await log.event(key: events[3].key)?.event.position == 4)
        #expect(try await log.event(key: Made.event("x").key) == nil)
        #expect(try await log.position(ofKnown: events[3]) == 4)
        #expect(try await log.position(ofKnown: Made.event("e3", "[]")) == nil)
        #expect(try await log.position(ofKnown: Made.event("x")) == nil)
        await log.close()
    }

    @Test("Audited pages, probes and the queue")
    func upkeep() async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append(Made.events(0..<3))
        let page = try #require(try await log.auditedPage(after: 1, through: .max))
        #expect(page.events.map(\.event.position) == [2, 3] && page.last == 3)
        #expect(try await log.auditedPage(after: 3, through: .max) == nil)
        let head = try await log.head()
        try await log.probeLock()
        try await log.probeCommit()
        try await log.checkpoint()
        #expect(try await log.head() == head)
        #expect(log.waiting == (0, 0) && log.writingSince == nil)
        await log.close()
        await #expect(throws: failure(.closed)) { try await log.probeLock() }
        await #expect(throws: failure(.closed)) { try await log.probeCommit() }
    }
}
