import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Queries
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Nodes whose clocks are ten minutes apart.
@Suite("Clocks of nodes", .postgres)
struct NodeClockTests {
    private static let chain = MadeChain()
    private static let apart: Int64 = 600_000

    @Test("Times of the log never run back, and equal questions have equal answers")
    func times() async throws {
        let place = try NodePlace(apart: NodeClockTests.apart)
        let chain = NodeClockTests.chain
        try await place.run(count: 2) { nodes in
            // The node that is ahead takes the first one.
            for (number, delivery) in chain.life.enumerated() {
                _ = try await nodes[(number + 1) % 2].post(delivery)
            }
            let schema = place.productionSchema
            let times = try await place.sql(
                "SELECT received_at FROM \(schema).events ORDER BY position")
            let ahead = place.clock.now.advanced(byMilliseconds: NodeClockTests.apart)
            #expect(
                times.split(whereSeparator: \.isNewline).map { Int64($0) }
                    == [Int64?](repeating: ahead.milliseconds, count: 4))
            for knowledge in [AsOf.knownPosition(4), .knownPosition(2), .knownAt(ahead)] {
                var answers: [[UInt8]] = []
                for node in nodes {
                    let scope = QueryScope(
                        at: place.clock.now, knowledge: knowledge, minPosition: 4)
                    answers.append(try await node.subscription(chain.id, scope).bytes)
                }
                #expect(answers[0] == answers[1], "\(knowledge)")
            }
        }
    }

    @Test("A node that is behind goes on with the feed where the one ahead stopped")
    func feed() async throws {
        let place = try NodePlace(apart: NodeClockTests.apart)
        let chain = NodeClockTests.chain
        try await place.run(count: 2) { nodes in
            _ = try await nodes[0].post(chain.bought())
            _ = try await nodes[1].post(chain.renewed(1))
            for node in nodes { _ = try await node.ledger(.production).snapshot(atLeast: 2) }
            // The next renewal is overdue by the clock alone.
            let ahead = chain.start(2).advanced(byMilliseconds: 86_400_000)
            let behind = ahead.advanced(byMilliseconds: -NodeClockTests.apart)
            var feeds: [ChangeFeed] = []
            for (node, time) in zip(nodes, [behind, ahead]) {
                let served = try node.ledger(.production)
                feeds.append(served.feed(ManualClock(time)))
            }
            func places(_ feed: ChangeFeed) async throws -> [ChangePlace] {
                try await feed.step()
                return try await feed.page(after: .beginning).changes.map(\.place)
            }
            // The one ahead runs the clock, the other follows.
            var found: [ChangePlace] = []
            try await until {
                found = try await places(feeds[1])
                return found.contains { $0.clock == ahead.milliseconds }
            }
            try await until { try await places(feeds[0]) == found }
            // The lease ends with its feed.
            feeds.removeLast()
            _ = try await nodes[0].post(chain.renewed(2))
            _ = try await nodes[0].ledger(.production).snapshot(atLeast: 3)
            try await until {
                _ = try await places(feeds[0])
                return feeds[0].horizon == 3
            }
            let after = try await places(feeds[0])
            #expect(after.count > found.count && Array(after.prefix(found.count)) == found)
            #expect(after.dropFirst(found.count).allSatisfy { $0.position == 3 })
        }
    }

    @Test("A node that followed the feed, and was idle: its next subscriber gets nothing older")
    func idle() async throws {
        let place = try NodePlace()
        let chain = NodeClockTests.chain
        let clocks = [ManualClock(place.clock.now), ManualClock(place.clock.now)]
        try await place.run(count: 2) { nodes in
            _ = try await nodes[0].post(chain.bought())
            _ = try await nodes[1].post(chain.renewed(1))
            var feeds: [ChangeFeed] = []
            for (node, clock) in zip(nodes, clocks) {
                let served = try node.ledger(.production)
                _ = try await served.snapshot(atLeast: 2)
                let feed = served.feed(clock)
                feeds.append(feed)
                // The first one runs the clock, the other follows.
                try await until {
                    try await feed.step()
                    return feed.horizon == 2
                }
            }
            let (first, second) = (feeds[0], feeds[1])
            let idling = Task { await second.run() }
            try await until { !clocks[1].waits.isEmpty }
            idling.cancel()
            await idling.value
            // The next renewal is overdue by the clock alone.
            for clock in clocks {
                clock.set(chain.start(2).advanced(byMilliseconds: 86_400_000))
            }
            try await until {
                try await first.step()
                return try await first.page(after: .beginning).changes.contains {
                    $0.place.clock == clocks[0].now.milliseconds
                }
            }
            let beginning = try await second.beginning()
            try await until {
                try await second.step()
                return beginning.place != nil
            }
            let start = try #require(beginning.place)
            #expect(second.horizon == 2)
            #expect(try await second.page(after: start).changes.isEmpty)
        }
    }

    @Test("The first subscriber on a node starts by the clock of the node that runs the feed")
    func firstSubscriber() async throws {
        let place = try NodePlace()
        let now = place.clock.now
        let ahead = now.advanced(byMilliseconds: NodeClockTests.apart)
        try await place.run(count: 2) { nodes in
            _ = try await nodes[0].post(NodeClockTests.chain.bought())
            var feeds: [ChangeFeed] = []
            for (node, time) in zip(nodes, [now, ahead]) {
                let served = try node.ledger(.production)
                _ = try await served.snapshot(atLeast: 1)
                feeds.append(served.feed(ManualClock(time)))
            }
            #expect(try await feeds[0].beginning().start.clock == now.milliseconds)
            try await until {
                try await feeds[1].step()
                return feeds[1].horizon == 1
            }
            #expect(try await feeds[0].beginning().start.clock == ahead.milliseconds)
            // The lease ends with its feed; the time that was stored remains.
            feeds.removeLast()
            try await until {
                try await feeds[0].beginning().start.clock == now.milliseconds
            }
        }
    }

    @Test("A database that does not answer keeps the other gauges waiting for a short time only")
    func gauges() async throws {
        let place = try NodePlace()
        try await Gate.ledgers.pass {
            let host = try await place.open(try place.configuration(1))
            let ledger = try host.ledger(.production)
            let table = "\(place.productionSchema).quarantine"
            let holder = Task {
                try await place.sql(
                    "BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)")
            }
            let locks = "FROM pg_locks WHERE relation = '\(table)'::regclass AND"
            try await until { try await place.sql("SELECT count(*) \(locks) granted") == "1" }
            #expect(await !ledger.gauges(apps: []).contains { $0.name == "quarantine_items" })
            // The statement that counts them still waits.
            #expect(try await place.sql("SELECT count(*) \(locks) NOT granted") == "1")
            try await place.sql("SELECT pg_terminate_backend(pid) \(locks) granted")
            _ = try? await holder.value
            host.stop()
            await host.run()
        }
    }

    @Test("Answers grow older while a node cannot follow the log, although it can read it")
    func age() async throws {
        let place = try NodePlace()
        try await Gate.ledgers.pass {
            let host = try await place.open(try place.configuration(1))
            let ledger = try host.ledger(.production)
            let least = Duration.milliseconds(50)
            ledger.noteEnd(0)
            #expect(ledger.age == nil)
            ledger.note(projection: StoreError(.diskFull, reason: "", remedy: ""))
            try await until { ledger.age.map { $0 >= least } == true }
            ledger.noteEnd(0)
            #expect(ledger.age.map { $0 >= least } == true)
            // A database that is away, and may not answer, is not asked.
            #expect(await ledger.gauges(apps: []).contains { $0.name == "quarantine_items" })
            ledger.note(projection: StoreError(.databaseUnavailable, reason: "", remedy: ""))
            #expect(await !ledger.gauges(apps: []).contains { $0.name == "quarantine_items" })
            ledger.note(projection: nil)
            #expect(ledger.age == nil)
            let long = Duration.seconds(3_600)
            ledger.note(projection: StoreError(.diskFull, reason: "", remedy: ""))
            ledger.health.withLock { $0.readAt = .now - long }
            ledger.note(projection: nil)
            ledger.note(projection: StoreError(.diskFull, reason: "", remedy: ""))
            #expect(ledger.age.map { $0 < long } == true)
            ledger.note(projection: nil)
            #expect(await ledger.gauges(apps: []).contains { $0.name == "quarantine_items" })
            host.stop()
            await host.run()
        }
    }
}
