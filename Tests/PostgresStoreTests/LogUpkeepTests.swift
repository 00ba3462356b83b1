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

    @Test("A silent session that locked the head row is ended, and one that only read it is not")
    func silentReader() async throws {
        let database = try Database(of: nil)
        let log = try await database.open(timeout: .seconds(5))
        let (holder, reader) = (try database.session(), try database.session())
        let statements = [Statement.log.lockHead, Statement.log.readHead]
        for (session, statement) in zip([holder, reader], statements) {
            try session.run(script: "SET idle_in_transaction_session_timeout = 0")
            _ = try session.run([Statement.begin.with(), statement.with()])
        }
        while (try? await log.append([Made.event("a")])) == nil {}
        #expect(throws: PostgresError.self) { try holder.run(Statement.commit.with()) }
        _ = try reader.run(Statement.commit.with())
        await log.close()
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
