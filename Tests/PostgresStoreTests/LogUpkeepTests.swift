import LedgerStore
import PostgresSupport
import Testing

@testable import PostgresStore

@Suite("Upkeep of a log in PostgreSQL", .postgres)
struct LogUpkeepTests {
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

    @Test("A connection that was cut is no reason to find the log locked or away")
    func cut() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let log = try await database.open(port: proxy.port)
        try await log.probeLock()
        proxy.cutAll()
        try await log.probeLock()
        await log.close()
        proxy.end()
    }
}
