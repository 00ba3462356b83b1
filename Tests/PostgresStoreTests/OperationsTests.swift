import AppStore
import Dispatch
import Foundation
import Ledger
import LedgerStore
import PostgresSupport
import Signing
import Testing

@testable import PostgresStore

@Suite("Operational state in PostgreSQL", .postgres)
struct OperationsTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)

    private static func chain(_ id: String) -> ChainId {
        ChainId(
            bundleId: BundleId("com.example"), originalTransactionId: OriginalTransactionId(id))
    }

    private func open(
        _ database: Database, port: UInt16? = nil, renewal: Duration = .milliseconds(20),
        timeout: Duration = .seconds(60)
    ) async throws -> PostgresOperations {
        // They do not run out while a test runs, however slow that is.
        try await PostgresOperations.open(
            database.place(port: port), environment: .production, leaseDuration: .seconds(3_600),
            leaseRenewal: renewal, answerTimeout: timeout)
    }

    /// Waits until leases that were released are given back, or could not be.
    private func settle(_ store: PostgresOperations) async throws {
        try await offPool { [renewals = store.renewals] in renewals.wait() }
    }

    /// Moves the end of a lease, as if time had passed for the database alone.
    private func end(_ lease: String, in database: Database, after interval: String) throws {
        try database.sql(
            """
            UPDATE \(database.schema).leases SET until = clock_timestamp() + interval '\(interval)'
            WHERE name = '\(lease)'
            """)
    }

    @Test("Log and operations share a schema and a ledger")
    func shared() async throws {
        let database = try Database()
        async let opened = open(database)
        let log = try await database.open()
        let store = try await opened
        #expect(store.location == log.location)
        try store.requireUsable()
        await store.close()
        #expect(throws: failure(.closed)) { try store.requireUsable() }
        await #expect(throws: failure(.closed)) { try await store.quarantineCount() }
        await log.close()
    }

    @Test("Concurrent writes from two nodes are serialised by area")
    func concurrency() async throws {
        let database = try Database()
        let stores = [try await open(database), try await open(database)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    _ = try await stores[number % 2].quarantine(
                        NewQuarantineItem(
                            receivedAt: OperationsTests.start, standing: .genuineConfigured,
                            code: "c", message: "m\0", bytes: [UInt8(number / 2)], input: "i"))
                }
            }
            try await group.waitForAll()
        }
        let items = try await stores[0].quarantined()
        #expect(items.map(\.id) == Array(1...20))
        #expect(items.allSatisfy { $0.attempts == 2 && $0.message == "m\0" })
        for store in stores { await store.close() }
    }

    @Test("A chain of an earlier release whose id no index holds does not stop the feed's clock")
    func longId() async throws {
        let database = try Database()
        let store = try await open(database)
        // Digits that PostgreSQL cannot compress to the size of an index row.
        let digits = (UInt8.min...UInt8.max).map { SHA256.hash([$0]).hexadecimal }.joined()
        let room = OperationsLimits.indexedByteCount - "com.example".utf8.count
        let (long, bound) = (Self.chain(digits), Self.chain(String(digits.prefix(room))))
        #expect(digits.utf8.count == 16_384)
        let end = ProjectionCursor(position: 1, leafHash: SHA256.hash([1]))
        try await store.keepClock(
            end: end, at: Self.start, rules: SHA256.hash([2]),
            chains: [long, bound, Self.chain("7")])
        #expect(try await store.feedClock()?.end == end)
        let readings = try await store.clockReadings(after: .beginning, through: 1, limit: 9)
        #expect(readings.map(\.chain) == [bound, Self.chain("7")])
        #expect(try await store.clockReadings(of: [long]).isEmpty)
        await store.close()
    }

    @Test("Many readings of the feed's clock are written and read in few round trips")
    func manyReadings() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let store = try await open(database, port: proxy.port)
        let chains = (0..<300).map { Self.chain("\($0)") }
        proxy.arm()
        try await store.keepClock(
            end: ProjectionCursor(position: 1, leafHash: SHA256.hash([1])), at: Self.start,
            rules: SHA256.hash([2]), chains: chains)
        let readings = try await store.clockReadings(of: chains)
        #expect(chains.map { readings[$0]?.map(\.ordinal) } == (0..<300).map { [$0] })
        // The server answers the first ones before it has received the last.
        #expect(proxy.roundTripCount < chains.count / 2)
        await store.close()
        proxy.end()
    }

    // MARK: Leases

    @Test("A task has one holder, until it gives the lease back")
    func lease() async throws {
        let database = try Database()
        let stores = [try await open(database), try await open(database)]
        var lease = try await stores[0].lease(.webhooks)
        #expect(lease != nil)
        #expect(try await stores[1].lease(.webhooks) == nil)
        #expect(try await stores[0].lease(.webhooks) == nil)
        let recovery = try await stores[1].lease(.recovery)
        #expect(recovery != nil)
        _ = try await stores[0].begin(WebhookEndpointRow(name: "a", cursor: .beginning))
        lease = nil
        var next: (any Lease)?
        while next == nil {
            try await Task.sleep(for: .milliseconds(20))
            next = try await stores[1].lease(.webhooks)
        }
        #expect(next != nil && lease == nil)
        for store in stores { await store.close() }
    }

    @Test("A held lease is renewed; a holder that was silent too long writes nothing any more")
    func lost() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let first = try await open(database, port: proxy.port)
        let second = try await open(database)
        let lease = try await first.lease(.webhooks)
        #expect(lease != nil)
        let endpoint = WebhookEndpointRow(name: "a", cursor: .beginning)
        _ = try await first.begin(endpoint)
        try end("webhooks", in: database, after: "10 minutes")
        let renewed = "SELECT until > clock_timestamp() + interval '30 minutes'"
        while try database.sql("\(renewed) FROM \(database.schema).leases") != "t" {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await second.lease(.webhooks) == nil)
        try await first.keep(endpoint)
        // The node is cut off until the lease has run out.
        proxy.refuse(true)
        proxy.cutAll()
        try end("webhooks", in: database, after: "0")
        let next = try await second.lease(.webhooks)
        #expect(next != nil)
        try await second.keep(endpoint)
        proxy.refuse(false)
        await #expect(throws: failure(.fileLocked)) { try await first.keep(endpoint) }
        #expect(try await first.webhookEndpoint("a") == endpoint)
        try await second.keep(endpoint)
        withExtendedLifetime((lease, next)) {}
        await first.close()
        await second.close()
        proxy.end()
    }

    @Test("A lease that ends later than any can, as before the clock went back, is taken over")
    func clockWentBack() async throws {
        // given
        let database = try Database()
        let first = try await open(database, renewal: .seconds(3_600))
        let second = try await open(database)
        let lease = try await first.lease(.webhooks)
        let endpoint = WebhookEndpointRow(name: "a", cursor: .beginning)
        _ = try await first.begin(endpoint)
        try end("webhooks", in: database, after: "119 minutes")
        #expect(try await second.leases().count == 1)
        #expect(try await second.lease(.webhooks) == nil)
        // when
        try end("webhooks", in: database, after: "121 minutes")
        // then
        #expect(try await second.leases().isEmpty)
        let next = try await second.lease(.webhooks)
        #expect(next?.isHeld == true)
        // The holder still runs.
        await #expect(throws: failure(.fileLocked)) { try await first.keep(endpoint) }
        try await second.keep(endpoint)
        #expect(try await first.lease(.webhooks) == nil)
        withExtendedLifetime((lease, next)) {}
        await first.close()
        await second.close()
    }

    @Test("A lease that ran out is taken again only once what held it is gone, and admits no write")
    func ranOut() async throws {
        let database = try Database()
        let store = try await open(database)
        var lease = try await store.lease(.webhooks)
        let endpoint = WebhookEndpointRow(name: "a", cursor: .beginning)
        _ = try await store.begin(endpoint)
        try end("webhooks", in: database, after: "0")
        // Of the same node, as by a recovery that another one waits for.
        let early = try await store.lease(.webhooks)
        #expect(early == nil)
        await #expect(throws: failure(.fileLocked)) { try await store.keep(endpoint) }
        withExtendedLifetime(lease) {}
        lease = nil
        lease = try await store.lease(.webhooks)
        #expect(lease != nil)
        try await store.keep(endpoint)
        withExtendedLifetime(lease) {}
        await store.close()
    }

    @Test("After a failover that lost a lease, the same token of another node admits no write")
    func sameToken() async throws {
        let database = try Database()
        let store = try await open(database)
        let lease = try await store.lease(.webhooks)
        #expect(lease != nil)
        let endpoint = WebhookEndpointRow(name: "a", cursor: .beginning)
        _ = try await store.begin(endpoint)
        _ = try database.sql("UPDATE \(database.schema).leases SET holder = 'another'")
        await #expect(throws: failure(.fileLocked)) { try await store.keep(endpoint) }
        withExtendedLifetime(lease) {}
        await store.close()
    }

    @Test("A node whose request was answered by nothing recognises the lease that it took")
    func lostAnswer() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let first = try await open(
            database, port: proxy.port, renewal: .seconds(3_600), timeout: .seconds(5))
        let second = try await open(database)
        // Opens all connections.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await first.nodes() } }
            try await group.waitForAll()
        }
        _ = try await first.lease(.webhooks)
        try await settle(first)
        let endpoint = WebhookEndpointRow(name: "a", cursor: .beginning)
        // Lost on the way and asked again at once; and without an answer until the time is over.
        for hangs in [false, false, true] {
            proxy.arm(.toClient, after: 0, hangs: hangs)
            var lease = try? await first.lease(.webhooks)
            #expect(proxy.hasCut)
            proxy.arm()
            if lease == nil { lease = try await first.lease(.webhooks) }
            #expect(lease?.isHeld == true, "hangs: \(hangs)")
            // It is held once, by this node as by others.
            #expect(try await first.lease(.webhooks) == nil)
            #expect(try await second.lease(.webhooks) == nil)
            _ = try await first.begin(endpoint)
            withExtendedLifetime(lease) {}
            lease = nil
            try await settle(first)
        }
        #expect(try await second.lease(.webhooks) != nil)
        await first.close()
        await second.close()
        proxy.end()
    }

    @Test("A lease is given back although the connection breaks meanwhile")
    func givenBack() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let first = try await open(database, port: proxy.port, renewal: .seconds(3_600))
        let second = try await open(database)
        var byteCount = 0
        // The first time prepares the statements.
        for isCut in [false, false, true] {
            var lease = try await first.lease(.webhooks)
            #expect(lease != nil)
            // Within the last statement, which has not taken effect.
            if isCut { proxy.arm(.toServer, after: byteCount - 20) } else { proxy.arm() }
            withExtendedLifetime(lease) {}
            lease = nil
            try await settle(first)
            byteCount = proxy.count(.toServer)
            #expect(proxy.hasCut)
        }
        #expect(try await second.lease(.webhooks) != nil)
        await first.close()
        await second.close()
        proxy.end()
    }

    @Test("A lease that was taken is kept and given back while no new connection can be opened")
    func openConnection() async throws {
        // given
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let first = try await open(database, port: proxy.port, renewal: .seconds(3_600))
        let second = try await open(database)
        var lease = try await first.lease(.webhooks)
        #expect(lease?.isHeld == true)
        // when
        proxy.refuse(true)
        withExtendedLifetime(lease) {}
        lease = nil
        try await settle(first)
        // then
        let next = try await second.lease(.webhooks)
        #expect(next != nil && proxy.refusedCount == 0)
        await first.close()
        await second.close()
        proxy.end()
    }

    @Test("A session that keeps the row of one lease locked delays the renewal of no other one")
    func lockedRow() async throws {
        // given
        let cluster = try await offPool { try PostgresCluster.sharedForLocks() }
        let database = try Database(of: cluster)
        let store = try await open(database)
        let leases = [try await store.lease(.webhooks), try await store.lease(.recovery)]
        #expect(leases.allSatisfy { $0?.isHeld == true })
        func isRenewed(_ lease: String) async throws -> Bool {
            try end(lease, in: database, after: "10 minutes")
            let renewed = """
                SELECT until > clock_timestamp() + interval '30 minutes'
                FROM \(database.schema).leases WHERE name = '\(lease)'
                """
            let last = ContinuousClock.now + .seconds(30)
            while try database.sql(renewed) != "t", ContinuousClock.now < last {
                try await Task.sleep(for: .milliseconds(20))
            }
            return try database.sql(renewed) == "t"
        }
        // when
        let other = try database.session()
        try other.run(
            script: """
                SET idle_in_transaction_session_timeout = 0; BEGIN;
                UPDATE \(database.schema).leases SET token = token WHERE name = 'webhooks'
                """)
        let waiting = """
            SELECT count(*) > 0 FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE '%\(database.schema)%leases%'
            """
        let last = ContinuousClock.now + .seconds(30)
        var isLocked = false
        while !isLocked, ContinuousClock.now < last {
            try await Task.sleep(for: .milliseconds(5))
            isLocked = try database.sql(waiting) == "t"
        }
        #expect(isLocked)
        // then
        #expect(try await isRenewed("recovery"))
        try other.run(script: "ROLLBACK")
        #expect(try await isRenewed("webhooks"))
        withExtendedLifetime(leases) {}
        await store.close()
    }

    @Test("A connection that was closed while idle is replaced")
    func reconnection() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let store = try await open(database, port: proxy.port)
        for number in 0..<6 {
            proxy.cutAll()
            let key = "k\(number)"
            let taken = try await store.take(
                uploadKey: key, request: SHA256.hash([1]), at: OperationsTests.start)
            #expect(taken == .new)
            proxy.cutAll()
            #expect(try await store.quarantineCount() == 0)
        }
        await store.close()
        proxy.end()
    }
}
