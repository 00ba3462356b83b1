import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Proofs
import Queries
import TestSupport
import Testing

@testable import Service

/// What only one node does at a time.
@Suite("Tasks of nodes", .postgres)
struct NodeTaskTests {
    private static let chain = MadeChain()

    /// Ends a lease for the database, as if its holder had been silent for long.
    private func expire(_ task: ExclusiveTask, _ place: NodePlace) async throws {
        try await place.sql(
            """
            UPDATE \(place.productionSchema).leases SET until = clock_timestamp()
            WHERE name = '\(task.rawValue)'
            """)
    }

    @Test("A task goes to another node when its holder gives it back, or was silent for too long")
    func handover() async throws {
        let place = try NodePlace()
        try await place.run(count: 2) { nodes in
            let leases = try nodes.map {
                KeptLease(.reconcile, in: try $0.ledger(.production).ledger)
            }
            #expect(try await leases[0].take())
            #expect(try await leases[0].take())
            #expect(try await !leases[1].take())
            // One that cannot do it leaves it.
            #expect(try await !leases[0].take(if: false))
            try await until { try await leases[1].take() }
            #expect(try await !leases[0].take())
            // The second one lost it, and finds out.
            try await expire(.reconcile, place)
            try await until {
                if try await leases[0].take() { return true }
                // It may have renewed the lease just before.
                try await expire(.reconcile, place)
                return false
            }
            try await until { try await !leases[1].take() }
        }
    }

    @Test("Feeds of several nodes have equal changes at equal places, those of the clock, too")
    func feeds() async throws {
        let place = try NodePlace()
        let clock = place.clock
        try await place.run(count: 2) { nodes in
            let feeds = try nodes.map { try $0.ledger(.production).feed(clock) }
            func step(to position: Int64) async throws {
                for (node, feed) in zip(nodes, feeds) {
                    _ = try await node.ledger(.production).snapshot(atLeast: position)
                    try await until {
                        try await feed.step()
                        return feed.horizon == position
                    }
                }
            }
            try await step(to: 0)
            _ = try await nodes[1].post(NodeTaskTests.chain.bought())
            try await step(to: 1)
            _ = try await nodes[0].post(NodeTaskTests.chain.renewed(1))
            try await step(to: 2)
            // The renewal that is missing becomes overdue by the clock alone.
            clock.set(NodeTaskTests.chain.start(2).advanced(byMilliseconds: 86_400_000))
            try await step(to: 2)
            var found: [[FeedChange]] = []
            for feed in feeds {
                var changes: [FeedChange] = []
                try await until {
                    try await feed.step()
                    changes = try await feed.page(after: .beginning).changes
                    return changes.contains { $0.place.clock > 0 && $0.place.clock < .max }
                }
                found.append(changes)
            }
            #expect(found[0].map(\.place) == found[1].map(\.place))
            #expect(found[0].map(\.change.name) == found[1].map(\.change.name))
            // The other node goes on where the first stopped.
            try await expire(.feedClock, place)
            _ = try await nodes[0].post(NodeTaskTests.chain.renewed(2))
            try await step(to: 3)
            let after = try await feeds[0].page(after: .beginning).changes
            #expect(after.prefix(found[0].count).map(\.place) == found[0].map(\.place))
            #expect(
                try await feeds[1].page(after: .beginning).changes.map(\.place)
                    == after.map(\.place))
        }
    }

    @Test("Changes of the clock that a failover lost are emitted again")
    func lostReading() async throws {
        let place = try NodePlace()
        let clock = place.clock
        try await place.run(count: 1) { nodes in
            let served = try nodes[0].ledger(.production)
            let feed = served.feed(clock)
            _ = try await nodes[0].post(NodeTaskTests.chain.bought())
            _ = try await nodes[0].post(NodeTaskTests.chain.renewed(1))
            _ = try await served.snapshot(atLeast: 2)
            try await until {
                try await feed.step()
                return feed.horizon == 2
            }
            try await place.sql(
                """
                SET search_path = \(place.productionSchema);
                CREATE TABLE earlier AS SELECT * FROM feed_clock;
                CREATE TABLE earlier_readings AS SELECT * FROM clock_readings
                """)
            let count = "SELECT count(*) FROM \(place.productionSchema).clock_readings"
            let before = try await place.sql(count)
            // The renewal that is missing becomes overdue by the clock alone.
            clock.set(NodeTaskTests.chain.start(2).advanced(byMilliseconds: 86_400_000))
            try await until {
                try await feed.step()
                return try await place.sql(count) != before
            }
            let after = try await place.sql(count)
            // As on a standby that has the lease, and not yet the reading.
            try await place.sql(
                """
                SET search_path = \(place.productionSchema);
                DELETE FROM clock_readings;
                INSERT INTO clock_readings SELECT * FROM earlier_readings;
                UPDATE feed_clock SET (position, at, leaf_hash, rules) =
                    (SELECT position, at, leaf_hash, rules FROM earlier)
                """)
            clock.set(clock.now.advanced(byMilliseconds: FeedLimits.clockMilliseconds))
            try await until {
                try await feed.step()
                return try await place.sql(count) == after
            }
        }
    }

    @Test("One node delivers webhooks; another one goes on when it ends, and misses nothing")
    func webhooks() async throws {
        let place = try NodePlace()
        let clock = place.clock
        let receivers = [Receiver(), Receiver()]
        try await place.run(count: 2) { nodes in
            func dispatcher(_ index: Int) -> (WebhookDispatcher, [ChangeFeed]) {
                let feeds = nodes[index].makeFeeds()
                return (
                    WebhookDispatcher(
                        endpoints: [.test()], feeds: feeds, transport: receivers[index],
                        clock: SystemClock { clock.now }, report: { _ in }), feeds
                )
            }
            func running(_ dispatcher: (WebhookDispatcher, [ChangeFeed])) -> Task<Void, Never> {
                Task {
                    await withTaskGroup(of: Void.self) { group in
                        for feed in dispatcher.1 { group.addTask { await feed.run() } }
                        group.addTask { await dispatcher.0.run() }
                    }
                }
            }
            let made = [dispatcher(0), dispatcher(1)]
            await made[0].0.begin()
            let first = running(made[0])
            _ = try await nodes[0].post(NodeTaskTests.chain.bought())
            try await until { !receivers[0].taken.isEmpty }
            await made[1].0.begin()
            let second = running(made[1])
            _ = try await nodes[1].post(NodeTaskTests.chain.renewed(1))
            try await until { receivers[0].taken.contains { $0.type.contains("renewed") } }
            #expect(receivers[1].taken.isEmpty)
            first.cancel()
            await first.value
            _ = try await nodes[0].post(NodeTaskTests.chain.turnedOff(1))
            try await until { !receivers[1].taken.isEmpty }
            second.cancel()
            await second.value
            let all = receivers[0].taken + receivers[1].taken
            #expect(Set(all.map(\.id)).count == all.count)
            #expect(all.map(\.sequence) == Array(1...Int64(all.count)))
        }
    }

    @Test("At the start a database that is away is asked for one endpoint, not for each")
    func startWhileAway() async throws {
        // given
        let place = try NodePlace()
        let clock = place.clock
        let proxy = try CuttingProxy(to: place.cluster.port)
        let notes = NoteBook()
        try await place.run([try place.configuration(1, port: proxy.port)]) { nodes in
            let dispatcher = WebhookDispatcher(
                endpoints: ["books", "mail", "stock"].map { .test($0) },
                feeds: nodes[0].makeFeeds(), transport: Receiver(),
                clock: SystemClock { clock.now }, report: { notes.add($0) })
            proxy.refuse(true)
            proxy.cutAll()
            // when
            await dispatcher.begin()
            // then
            #expect(notes.texts.count == 1)
            proxy.refuse(false)
        }
        proxy.end()
    }

    @Test("While the database is away, webhooks that wait for their lease report it once")
    func leaseWhileAway() async throws {
        // given
        let place = try NodePlace()
        let clock = ManualClock(place.clock.now)
        let proxy = try CuttingProxy(to: place.cluster.port)
        let notes = NoteBook()
        try await place.run([try place.configuration(1, port: proxy.port)]) { nodes in
            let served = try nodes[0].ledger(.production)
            let feed = ChangeFeed(
                ledger: served.ledger, clock: clock,
                projections: { served.board.snapshot?.projections }, isCurrent: { true })
            let dispatcher = WebhookDispatcher(
                endpoints: ["books", "mail"].map { .test($0) }, feeds: [feed],
                transport: Receiver(), clock: clock, report: { notes.add($0) })
            proxy.refuse(true)
            proxy.cutAll()
            // when
            let running = Task { await dispatcher.run() }
            try await until { clock.waits.count >= 2 }
            running.cancel()
            await running.value
            // then
            #expect(notes.codes == ["webhookStoreFailed"], "\(notes.texts)")
            #expect(notes.texts.first?.contains("books") == false)
            proxy.refuse(false)
        }
        proxy.end()
    }

    @Test("A node that does not follow the log leaves webhooks and the feed's clock to another one")
    func lagging() async throws {
        let place = try NodePlace()
        let clock = place.clock
        let receivers = [Receiver(), Receiver()]
        let isBehind = Flag()
        try await place.run(count: 2) { nodes in
            var tasks: [Task<Void, Never>] = []
            for (number, node) in nodes.enumerated() {
                let served = try node.ledger(.production)
                let feed = ChangeFeed(
                    ledger: served.ledger, clock: SystemClock { clock.now },
                    projections: { served.board.snapshot?.projections },
                    isCurrent: { number == 1 || !isBehind.isSet })
                let dispatcher = WebhookDispatcher(
                    endpoints: [.test()], feeds: [feed], transport: receivers[number],
                    clock: SystemClock { clock.now }, report: { _ in })
                await dispatcher.begin()
                tasks.append(
                    Task {
                        await withTaskGroup(of: Void.self) { group in
                            group.addTask { await feed.run() }
                            group.addTask { await dispatcher.run() }
                        }
                    })
                // The first one has both leases before the second one begins.
                guard number == 0 else { continue }
                _ = try await node.post(NodeTaskTests.chain.bought())
                try await until { !receivers[0].taken.isEmpty }
            }
            isBehind.set()
            let directory = nodes[0].configuration.ledger.dataDirectory + "/production"
            let first = try #require(try NodeMemory(directory: directory)).node
            let held = """
                SELECT count(*) FROM \(place.productionSchema).leases
                WHERE holder = '\(first)' AND until > clock_timestamp()
                """
            try await until { try await place.sql(held) == "0" }
            _ = try await nodes[0].post(NodeTaskTests.chain.renewed(1))
            try await until { receivers[1].taken.contains { $0.type.contains("renewed") } }
            #expect(try await place.sql(held) == "0")
            for task in tasks {
                task.cancel()
                await task.value
            }
        }
    }

    @Test("A node whose answers lack an old event leaves leases to one that has it")
    func rebuilding() async throws {
        let place = try NodePlace()
        try await place.run(count: 1) { nodes in
            let served = try nodes[0].ledger(.production)
            _ = try await served.snapshot(atLeast: 0)
            try await until { served.catchingUp == nil }
            // As while files are rebuilt, or a disk hangs: the log is read, and not projected.
            served.board.reached(head: 1, at: .now - ServedLedger.currentLimit)
            #expect(served.age == nil && served.isCurrent)
            let ahead = NodeRow(id: "other", name: "other", position: 1, silentMilliseconds: 0)
            try await until {
                served.note(nodes: [ahead], position: 0)
                return !served.isCurrent
            }
        }
    }

    @Test("A node that cannot sign checkpoints gives their lease up; one whose log went back, all")
    func unsigned() async throws {
        let place = try NodePlace()
        let origin = "example.com/subledger/production"
        let file = place.directory.file("audit.key")
        try Data(try NoteSignerKey(name: origin).secretText.utf8).write(to: URL(filePath: file))
        let lease = """
            FROM \(place.productionSchema).leases
            WHERE name = '\(ExclusiveTask.checkpoints.rawValue)'
            """
        let held = "SELECT count(*) \(lease) AND until > clock_timestamp()"
        try await place.run(count: 1) { nodes in
            let served = try nodes[0].ledger(.production)
            let operations = served.ledger.operations
            let loop = try CheckpointLoop(
                .init(environment: .production, origin: origin, keyFile: file), host: nodes[0],
                transport: Receiver(), clock: ManualClock(place.clock.now)
            ) { _ in }
            let running = Task { await loop.run() }
            defer { running.cancel() }
            try await until { try await place.sql(held) == "1" }
            try await place.sql(
                """
                SET search_path = \(place.productionSchema);
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT ON checkpoints FOR EACH ROW
                    EXECUTE FUNCTION \(place.productionSchema).refuse()
                """)
            _ = try await nodes[0].post(NodeTaskTests.chain.bought())
            try await until { try await place.sql(held) == "0" }
            try await place.sql("DROP TRIGGER refuse ON \(place.productionSchema).checkpoints")
            try await until {
                try await !operations.checkpoints(after: 0, limit: 1).isEmpty
            }
            _ = try await served.snapshot(atLeast: 1)
            #expect(served.isCurrent)
            // As after a failover to a standby that was behind; no node has later answers.
            try await place.changeEvents(
                "UPDATE \(place.productionSchema).events SET leaf_hash = sha256(leaf_hash)")
            try await until { served.projectionFailure?.code == .logWentBack }
            #expect(!served.isCurrent)
            try await until { try await place.sql(held) == "0" }
            // It does not take the lease again, as after a round that failed.
            let token = try await place.sql("SELECT token \(lease)")
            try await Task.sleep(for: .seconds(2))
            #expect(try await place.sql("SELECT token \(lease)") == token)
            running.cancel()
            await running.value
        }
    }

    @Test("A repeated command is answered only where a COMMIT says that its row is durable")
    func repeated() async throws {
        let place = try NodePlace()
        let now = place.clock.now
        try await place.run(count: 2) { nodes in
            func note(_ node: LedgerHost) async throws -> CommandReceipt {
                let ledger = try node.ledger(.production).ledger
                return try await CommandIntake(ledger: ledger) { now }.run(
                    .note(CustomerId("anna")), about: nil,
                    .init(actor: "sara", reason: "called", key: "key"))
            }
            #expect(try await note(nodes[0]).position == 1)
            try await place.sql(
                """
                SET search_path = \(place.productionSchema);
                CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER full_disk BEFORE UPDATE ON head FOR EACH ROW
                    EXECUTE FUNCTION \(place.productionSchema).full_disk()
                """)
            await #expect(throws: CommandError.self) { _ = try await note(nodes[1]) }
            try await place.sql("DROP TRIGGER full_disk ON \(place.productionSchema).head")
            let repeated = try await note(nodes[1])
            #expect(repeated.position == 1 && repeated.isRepeated)
        }
    }
}
