import AppStore
import Foundation
import LedgerStore
import PostgresSupport
import TestSupport
import Testing

@testable import PostgresStore

@Suite("Appends whose connection, server or standby fails", .postgres)
struct AppendFaultTests {
    /// As long as the ids of the tests below, so that their appends have as many bytes.
    private let measured = (0..<8).map { "warm-000\($0)" }

    /// Bytes of an append: the least of several, since the hint for other nodes, which is sent on
    /// another connection, is counted with some of them.
    private func measure(
        _ log: PostgresLog, _ proxy: CuttingProxy
    ) async throws -> [CuttingProxy.Direction: Int] {
        var least: [CuttingProxy.Direction: Int] = [:]
        for id in measured {
            proxy.arm()
            _ = try await log.append([Made.event(id)])
            for direction in [CuttingProxy.Direction.toServer, .toClient] {
                least[direction] = min(least[direction] ?? .max, proxy.count(direction))
            }
        }
        return least
    }

    /// Sends one append through a proxy that cuts after each of some bytes, in one direction.
    private func cutEverywhere(_ direction: CuttingProxy.Direction, rounds: Int) async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let log = try await database.open(port: proxy.port)
        // Prepares every statement, so that each round sends the same bytes.
        _ = try await log.append([Made.token("warm", header: "warm")])
        let length = try await measure(log, proxy)[direction] ?? 0
        #expect(length > 300)
        var ids = Set(measured + ["warm"])
        var cutCount = 0
        for round in 0..<rounds {
            let id = "cut-\(10_000 + round)"
            proxy.arm(direction, after: round * length / rounds)
            let results = try await log.append([Made.event(id)])
            if proxy.hasCut { cutCount += 1 }
            ids.insert(id)
            #expect(results == [.appended(position: Int64(ids.count))], "cut \(round)")
            // The new connection prepares its statements again.
            proxy.arm()
            _ = try await log.append([Made.event("after-\(id)")])
            ids.insert("after-\(id)")
        }
        #expect(cutCount > rounds * 9 / 10)
        try await log.expectSound(ids)
        await log.close()
        proxy.end()
    }

    @Test("A connection cut after any byte to the server: the event is there once")
    func cutToServer() async throws {
        try await cutEverywhere(.toServer, rounds: Soak.count(40, soak: 120))
    }

    @Test("A connection cut after any byte to the node: the event is there once")
    func cutToClient() async throws {
        try await cutEverywhere(.toClient, rounds: Soak.count(30, soak: 60))
    }

    @Test("Without an answer the outcome is found out after the timeout, on a new connection")
    func hanging() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let log = try await database.open(port: proxy.port, timeout: .seconds(5))
        let counts = try await measure(log, proxy)
        // Before COMMIT reaches the server, which keeps the head row locked; and after it.
        for (number, direction) in [CuttingProxy.Direction.toServer, .toClient].enumerated() {
            let id = "hang-000\(number)"
            proxy.arm(direction, after: try #require(counts[direction]) - 1, hangs: true)
            let results = try await log.append([Made.event(id)])
            #expect(proxy.hasCut && results == [.appended(position: Int64(number) + 9)])
            // Prepares the statements of the new connection.
            proxy.arm()
            #expect(try await log.append([Made.event(measured[0])]) == [.duplicate(of: 1)])
        }
        // A first round trip without an answer has written nothing.
        proxy.arm(.toClient, after: 10, hangs: true)
        await #expect(throws: failure(.databaseUnavailable)) {
            try await log.append([Made.event("none")])
        }
        try await log.expectSound(Set(measured + ["hang-0000", "hang-0001"]))
        await log.close()
        proxy.end()
    }

    @Test("While nothing can be reached appends fail at once, and succeed again afterwards")
    func partition() async throws {
        let database = try Database()
        let proxy = try CuttingProxy(to: database.cluster.port)
        let log = try await database.open(port: proxy.port)
        _ = try await log.append([Made.event("a")])
        proxy.refuse(true)
        proxy.cutAll()
        for _ in 0..<3 {
            await #expect(throws: failure(.databaseUnavailable)) {
                try await log.append([Made.event("b")])
            }
            await #expect(throws: failure(.databaseUnavailable)) { try await log.head() }
        }
        proxy.refuse(false)
        #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
        #expect(try await log.head().position == 2)
        await log.close()
        proxy.end()
    }

    @Test("Timeouts of the server end idle sessions, no wait for a silent node, and lose nothing")
    func timeouts() async throws {
        let database = try Database(of: nil)
        let log = try await database.open()
        _ = try await log.append([Made.event("a")])
        await log.close()
        try database.sql(
            """
            ALTER DATABASE \(database.name) SET statement_timeout = 2000;
            ALTER DATABASE \(database.name) SET idle_session_timeout = 1500
            """)
        let again = try await database.open(timeout: .seconds(5))
        let holder = try PostgresConnection(
            database.place(adding: "application_name=holder"), answerTimeout: .seconds(5))
        try holder.run(script: "SET idle_session_timeout = 0")
        // As a node that was paused between two messages of a transaction.
        _ = try holder.run([Statement.begin.with(), Statement.log.lockHead.with()])
        let error = await #expect(throws: StoreError.self) {
            try await again.append([Made.event("b")])
        }
        #expect([.fileLocked, .databaseUnavailable].contains(error?.code))
        // Longer than an idle session may last.
        try await Task.sleep(for: .seconds(2))
        #expect(try await again.append([Made.event("b")]) == [.appended(position: 2)])
        #expect(throws: PostgresError.self) { try holder.run(Statement.rollback.with()) }
        #expect(try await again.event(at: 1) != nil)
        try await again.expectSound(["a", "b"])
        await again.close()
    }

    @Test("A server that is restarted or killed under load loses and doubles nothing")
    func restart() async throws {
        let cluster = try await offPool { try PostgresCluster() }
        let database = try Database(of: cluster)
        let logs = [try await database.open(), try await database.open()]
        let writers = Writers(logs)
        try await writers.run {
            for signal in [SIGINT, SIGKILL, SIGQUIT] {
                try await Task.sleep(for: .milliseconds(400))
                try await offPool {
                    cluster.stop(signal)
                    try cluster.start()
                }
            }
            try await Task.sleep(for: .milliseconds(400))
        }
        try await writers.expectKept()
        for log in logs { await log.close() }
        cluster.end()
    }

    @Test("Two nodes whose connections are cut anywhere, anytime, lose and double nothing")
    func chaos() async throws {
        let database = try Database()
        var proxies: [CuttingProxy] = []
        var logs: [PostgresLog] = []
        for _ in 0..<2 {
            let proxy = try CuttingProxy(to: database.cluster.port)
            logs.append(try await database.open(port: proxy.port))
            proxies.append(proxy)
        }
        let writers = Writers(logs)
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        try await writers.run {
            for _ in 0..<Soak.count(50, soak: 80) {
                let proxy = proxies[Int.random(in: 0...1, using: &numbers)]
                let count = Int.random(in: 0...6_000, using: &numbers)
                switch Int.random(in: 0...9, using: &numbers) {
                case 0: proxy.cutAll()
                case 1:
                    proxy.refuse(true)
                    proxy.cutAll()
                    try await Task.sleep(for: .milliseconds(50))
                    proxy.refuse(false)
                case 2...5: proxy.arm(.toClient, after: count / 8)
                default: proxy.arm(.toServer, after: count)
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &numbers)))
            }
            for proxy in proxies { proxy.arm() }
        }
        #expect(!writers.acknowledged.all.isEmpty, "seed \(seed)")
        try await writers.expectKept()
        for log in logs { await log.close() }
        for proxy in proxies { proxy.end() }
    }

    @Test("A primary that is killed with a synchronous standby promoted loses and doubles nothing")
    func failover() async throws {
        let primary = try await offPool { try PostgresCluster() }
        let database = try Database(of: primary)
        let standby = try await offPool {
            try PostgresCluster(standbyOf: primary, named: "second")
        }
        try primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'second'")
        try primary.sql("SELECT pg_reload_conf()")
        let hosts = "host=127.0.0.1,127.0.0.1 port=\(primary.port),\(standby.port)"
        // The proxies still accept connections when their server is down.
        let proxies = [
            try CuttingProxy(to: primary.port), try CuttingProxy(to: standby.port),
        ]
        let behind = "host=127.0.0.1,127.0.0.1 port=\(proxies[0].port),\(proxies[1].port)"
        var logs: [PostgresLog] = []
        for place in [try database.place(adding: hosts), try database.place(adding: behind)] {
            logs.append(try await PostgresLog.open(place, environment: .production))
        }
        let wrong = try database.place(
            adding: "host=127.0.0.1 port=\(standby.port) target_session_attrs=any")
        await #expect { try await PostgresLog.open(wrong, environment: .production) } throws: {
            ($0 as? StoreError)?.code == .fileReadOnly
        }
        let writers = Writers(logs)
        try await writers.run {
            try await Task.sleep(for: .milliseconds(600))
            try await offPool {
                primary.stop(SIGKILL)
                try standby.promote()
            }
            try await Task.sleep(for: .milliseconds(600))
        }
        #expect(!writers.acknowledged.all.isEmpty)
        try await writers.expectKept()
        let promoted = try await logs[1].append([Made.event("after")])
        #expect(promoted.count == 1)
        for log in logs { await log.close() }
        for proxy in proxies { proxy.end() }
        standby.end()
        primary.end()
    }

    @Test("A cancelled wait for a standby is no acknowledgement; the next COMMIT waits again")
    func cancelledWait() async throws {
        let cluster = try await offPool { try PostgresCluster() }
        let database = try Database(of: cluster)
        // However long the commands that cancel take on a busy machine.
        let log = try await database.open(timeout: .seconds(600))
        let other = try await database.open(timeout: .seconds(600))
        let third = try await database.open(timeout: .seconds(5))
        _ = try await log.append([Made.event("a")])
        try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try cluster.sql("SELECT pg_reload_conf()")
        let isAnswered = Flag()
        let known = try await waiting(log, "a", cluster)
        // Another node names what it waits for, since ending that session would be the wrong thing.
        for isProbe in [true, false] {
            let error = await #expect(throws: StoreError.self) {
                if isProbe { try await third.probeLock() }
                _ = try await third.append([Made.event("c")])
            }
            #expect(error?.code == .databaseUnavailable)
            #expect(error?.reason == "A COMMIT waits for the synchronous standby.")
        }
        let new = Task {
            let results = try await other.append([Made.event("b")])
            isAnswered.set()
            return results
        }
        for _ in 0..<4 {
            let process = try await waiter(in: cluster)
            try cluster.sql("SELECT pg_cancel_backend(\(process))")
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(!isAnswered.isSet)
        try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        try cluster.sql("SELECT pg_reload_conf()")
        #expect(try await settled(known, "a", log).map(\.position) == [1])
        #expect(try await settled(new, "b", other).map(\.position) == [2])
        try await log.expectSound(["a", "b"])
        for log in [log, other, third] { await log.close() }
        cluster.end()
    }

    /// The results of an append; where the cancelling took longer than a node looks for an outcome,
    /// those of the same append again, as the error says.
    private func settled(
        _ append: Task<[AppendResult], any Error>, _ id: String, _ log: PostgresLog
    ) async throws -> [AppendResult] {
        do { return try await append.value } catch let error as StoreError
            where error.code == .commitOutcomeUnknown
        { return try await log.append([Made.event(id)]) }
    }

    /// An append of a known event that waits for a standby: it is answered when its row is there.
    private func waiting(
        _ log: PostgresLog, _ id: String, _ cluster: PostgresCluster
    ) async throws -> Task<[AppendResult], any Error> {
        while true {
            let isAnswered = Flag()
            let append = Task {
                defer { isAnswered.set() }
                return try await log.append([Made.event(id)])
            }
            while !isAnswered.isSet {
                if try !cluster.sql(AppendFaultTests.waiters).isEmpty { return append }
                try await Task.sleep(for: .milliseconds(5))
            }
            // The setting had not reached the server yet.
            #expect(try await append.value == [.duplicate(of: 1)])
        }
    }

    private func waiter(in cluster: PostgresCluster) async throws -> String {
        while true {
            let found = try cluster.sql(AppendFaultTests.waiters)
            if !found.isEmpty { return found }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static let waiters = """
        SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1
        """

    @Test("A session that keeps the head row locked delays appends, and is ended by the server")
    func silentHolder() async throws {
        let database = try Database()
        let log = try await database.open()
        _ = try await log.append([Made.event("a")])
        let holder = try database.session()
        // As a node that was paused inside a transaction.
        _ = try holder.run(Statement("SET idle_in_transaction_session_timeout = 300").with())
        _ = try holder.run([Statement.begin.with(), Statement.log.lockHead.with()])
        #expect(try await log.append([Made.event("b")]) == [.appended(position: 2)])
        #expect(throws: PostgresError.self) { try holder.run(Statement.commit.with()) }
        await log.close()
    }

    @Test("Sessions do not queue for a lock that is kept for long, however often it is asked for")
    func keptLock() async throws {
        let cluster = try await offPool { try PostgresCluster.sharedForLocks() }
        let database = try Database(of: cluster)
        let log = try await database.open(timeout: .seconds(5))
        _ = try await log.append([Made.event("a")])
        // As a COMMIT that waits for a standby: the holder does not wait for its client.
        let holder = Task {
            try await offPool {
                try database.sql(
                    """
                    BEGIN; SELECT position FROM \(database.schema).head FOR UPDATE;
                    SELECT pg_sleep(600)
                    """)
            }
        }
        func count(
            _ condition: String, _ columns: String = "count(*)"
        ) async throws -> String {
            try await offPool {
                try database.sql(
                    """
                    SELECT \(columns) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                    AND query LIKE '%\(database.schema).head%' AND \(condition)
                    """)
            }
        }
        while try await count("wait_event = 'PgSleep'") == "0" {}
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) {
                try await log.append([Made.event("b")])
            }
            #expect([.fileLocked, .databaseUnavailable].contains(error?.code))
        }
        while try await count("wait_event_type = 'Lock'") != "0" {}
        #expect(try await count("wait_event = 'PgSleep'") == "1")
        _ = try await count("wait_event = 'PgSleep'", "pg_terminate_backend(pid)")
        await #expect(throws: (any Error).self) { try await holder.value }
        while (try? await log.append([Made.event("b")])) == nil {}
        try await log.expectSound(["a", "b"])
        await log.close()
    }
}
