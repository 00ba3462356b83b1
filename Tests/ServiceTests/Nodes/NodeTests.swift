import AppStore
import Faults
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Queries
import SQLiteStore
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Nodes over one database", .postgres)
struct NodeTests {
    private static let chains = (1...3).map { MadeChain(id: "50000000000000\($0)") }
    private static let passes: [(ProjectionProgress.Phase, Int64)] = [
        (.decode, 2), (.decode, 4), (.fold, 1), (.fold, 4), (.decode, 5),
    ]

    @Test("What one node acknowledged the others answer: equal at equal positions")
    func equal() async throws {
        let place = try NodePlace()
        place.clock.set(TemporaryLedger.end)
        try await place.run(count: 3) { nodes in
            var last: Int64 = 0
            for index in 0..<4 {
                for (offset, chain) in NodeTests.chains.enumerated() {
                    let position = try await nodes[offset].post(chain.life[index])
                    #expect(position == last + 1)
                    last = position
                    // Read your own writes, on another node.
                    let other = nodes[(offset + 1) % nodes.count]
                    let answer = try await other.subscription(
                        chain.id, QueryScope(minPosition: position))
                    #expect(answer.position >= position)
                }
            }
            for chain in NodeTests.chains {
                for position in [last / 2, last] {
                    let answers = try await [
                        nodes[0].show(chain, through: position),
                        nodes[1].show(chain, through: position),
                        nodes[2].show(chain, through: position),
                    ]
                    #expect(answers[0] == answers[1] && answers[1] == answers[2])
                }
            }
            // A known notification is the same event on every node.
            #expect(try await nodes[1].post(NodeTests.chains[0].bought()) == 1)
        }
    }

    @Test("A new node with an empty directory says how far it is, and is ready once it caught up")
    func newcomer() async throws {
        let place = try NodePlace()
        let chain = NodeTests.chains[0]
        try await place.run(count: 1) { nodes in
            for delivery in chain.life { _ = try await nodes[0].post(delivery) }
        }
        try await Gate.ledgers.pass {
            let host = try await place.open(try place.configuration(2))
            let ledger = try host.ledger(.production)
            #expect(ledger.catchingUp?.position == 0)
            // Building its files takes two passes over all events.
            ledger.noteEnd(4)
            var positions: [Int64?] = []
            do {
                let lock = try #require(try ProjectorLock.take(directory: ledger.ledger.directory))
                for (phase, position) in NodeTests.passes {
                    lock.note(ProjectionProgress(phase, position: position, head: 4))
                    positions.append(ledger.catchingUp?.position)
                }
            }
            #expect(positions == [1, 2, 2, 4, 4])
            host.stop()
            await host.run()
        }
        try await place.run([try place.configuration(3)]) { nodes in
            let ledger = try nodes[0].ledger(.production)
            try await until { ledger.catchingUp == nil }
            #expect(ledger.projectedPosition == 4)
            let answer = try await nodes[0].show(chain, through: 4)
            #expect(answer["state"] != nil)
        }
        // It stays listed with what it last answered.
        let last = try await place.sql(
            "SELECT position FROM \(place.productionSchema).nodes ORDER BY seen_at DESC LIMIT 1")
        #expect(last == "4")
    }

    @Test("A node remembers its ledger and what it has seen")
    func memory() async throws {
        let place = try NodePlace()
        try await place.run(count: 1) { nodes in
            _ = try await nodes[0].post(NodeTests.chains[0].bought())
        }
        let path = "\(try place.configuration(1).dataDirectory)/production"
        let memory = try #require(try NodeMemory(directory: path))
        let id = try await place.sql(
            "SELECT encode(id, 'hex') FROM \(place.productionSchema).ledger")
        #expect(memory.ledger == id && memory.seen.position == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(path)/log.sqlite"))
        // Nor does it begin another one without its database.
        var alone = try place.configuration(1)
        alone.ledger.database = nil
        await #expect(throws: StoreError(.fileForeign, reason: "", remedy: "")) {
            _ = try await place.open(alone)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(path)/log.sqlite"))
    }

    @Test("Files of a reducer one version ahead stay; the node makes its own, and agrees")
    func laterReducer() async throws {
        let place = try NodePlace()
        let chain = NodeTests.chains[0]
        try await place.run(count: 2) { nodes in
            for (number, delivery) in chain.life.enumerated() {
                _ = try await nodes[number % 2].post(delivery)
            }
            for node in nodes { _ = try await node.show(chain, through: 4) }
        }
        // As that release left them.
        let directory = "\(try place.configuration(1).dataDirectory)/production"
        let (files, link) = (FileManager.default, "\(directory)/projections.sqlite")
        let own = try files.destinationOfSymbolicLink(atPath: link)
        let reducer = Lifecycle.reducerVersion
        let later = own.replacing("-\(reducer)-", with: "-\(reducer + 1)-")
        try LogTampering(path: "\(directory)/\(own)").state(reducerVersion: reducer + 1)
        try files.moveItem(atPath: "\(directory)/\(own)", toPath: "\(directory)/\(later)")
        try files.removeItem(atPath: link)
        try files.createSymbolicLink(atPath: link, withDestinationPath: later)
        try await place.run(count: 2) { nodes in
            let answers = try await [
                nodes[0].show(chain, through: 4), nodes[1].show(chain, through: 4),
            ]
            #expect(answers[0] == answers[1])
            #expect(answers[0]["reducerVersion"]?.int64 == Int64(reducer))
            try await until { try files.destinationOfSymbolicLink(atPath: link) != later }
        }
        let stored = try await ProjectionsStore.open("\(directory)/\(later)").build()
        #expect(stored?.reducerVersion == reducer + 1)
    }

    private static func upload(_ customer: String) throws -> [UInt8] {
        let chain = chains[0]
        let line = try JSONValue.parse(
            TestAuthority.signer.line(
                Delivery(
                    ordinal: 0, receivedAt: chain.start,
                    evidence: .transaction(chain.transaction(0, signed: chain.start)))))
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", line["signedTransactionInfo"]?.string)
            $0.member("customer", customer)
        }
        return json.bytes
    }

    @Test("Of claims on several nodes at once one gets the chain; a key has one answer everywhere")
    func claims() async throws {
        let place = try NodePlace()
        let configurations = try (1...3).map { number in
            var configuration = try place.configuration(number)
            configuration.ledger.claimPolicy = .keep
            return configuration
        }
        // Signed once: the same request has the same bytes.
        let bodies = try (0..<6).map { try NodeTests.upload("customer-\($0)") }
        try await place.run(configurations) { nodes in
            func outcomes(shift: Int) async throws -> [Int: RepeatableAnswer] {
                try await withThrowingTaskGroup(of: (Int, RepeatableAnswer).self) { group in
                    for (number, body) in bodies.enumerated() {
                        let node = nodes[(number + shift) % nodes.count]
                        group.addTask {
                            (
                                number,
                                try await node.upload(body, key: "key-\(number)", sender: "test")
                            )
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
            }
            func claim(_ answer: RepeatableAnswer) throws -> String? {
                try JSONValue.parse(answer.answer.bytes)["claim"]?.string
            }
            let first = try await outcomes(shift: 0)
            let claims = try first.values.map { try claim($0) }
            #expect(claims.count { $0 == "moved" } == 1)
            #expect(claims.count { $0 == "refused" } == 5)
            // The same requests on other nodes.
            for (number, answer) in try await outcomes(shift: 1) {
                #expect(answer.isRepeated)
                #expect(try first[number].map { try claim($0) } == claim(answer))
            }
        }
    }

    @Test("A row that is visible and not yet on the standby is no acknowledgement")
    func unreplicated() async throws {
        let cluster = try await offPool { try PostgresCluster() }
        defer { cluster.end() }
        let place = try NodePlace(cluster)
        let chain = NodeTests.chains[0]
        let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        // Nodes need the warning of a cancelled wait all the same.
        try await place.sql("ALTER ROLE ALL SET client_min_messages = error")
        try await place.run(count: 2) { nodes in
            _ = try await nodes[0].post(chain.bought())
            try await place.sql("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
            try await place.sql("SELECT pg_reload_conf()")
            try await until { try await place.sql("SHOW synchronous_standby_names") == "missing" }
            // Commits wait once the checkpointer has read the setting, which it does first.
            try await place.sql("CHECKPOINT")
            let isAnswered = Flag()
            func post(_ node: LedgerHost) -> Task<Int64, any Error> {
                Task {
                    let position = try await node.post(chain.renewed(1))
                    isAnswered.set()
                    return position
                }
            }
            let first = post(nodes[0])
            // A cancelled wait leaves the row as if it were replicated.
            try await until {
                try await place.sql("SELECT pg_cancel_backend(pid) \(waiting)")
                return try await place.sql(
                    "SELECT count(*) FROM \(place.productionSchema).events") == "2"
            }
            let second = post(nodes[1])
            try await until {
                let locked = """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'
                    """
                let isLocked = try await place.sql(locked) != "0"
                return isLocked || isAnswered.isSet
            }
            #expect(!isAnswered.isSet)
            try await place.sql("ALTER SYSTEM RESET synchronous_standby_names")
            try await place.sql("SELECT pg_reload_conf()")
            // On a busy machine either may have been refused; Apple sends it again.
            for (node, task) in zip(nodes, [first, second]) {
                var position = try? await task.value
                try await until {
                    if position == nil { position = try? await node.post(chain.renewed(1)) }
                    return position != nil
                }
                #expect(position == 2)
            }
        }
    }

    private static func row(_ position: Int64, silent: Int64) -> NodeRow {
        NodeRow(id: "other", name: "other", position: position, silentMilliseconds: silent)
    }

    @Test("The database away and back: intake refuses, answers say their age, then both go on")
    func away() async throws {
        let cluster = try await offPool { try PostgresCluster() }
        defer { cluster.end() }
        let place = try NodePlace(cluster)
        let chain = NodeTests.chains[0]
        try await place.run(count: 2) { nodes in
            let ledgers = try nodes.map { try $0.ledger(.production) }
            let first = try await nodes[0].post(chain.bought())
            for node in nodes {
                _ = try await node.subscription(chain.id, QueryScope(minPosition: first))
            }
            #expect(ledgers.allSatisfy { $0.age == nil && $0.isCurrent })
            for node in nodes { #expect(try await node.status(.production).isReady) }
            try await offPool { cluster.stop(SIGQUIT) }
            for (node, ledger) in zip(nodes, ledgers) {
                let refusal = await #expect(throws: IntakeRefusal.self) {
                    _ = try await node.post(chain.renewed(1))
                }
                #expect(refusal?.standing == .unavailable)
                #expect(["databaseUnavailable", "commitOutcomeUnknown"].contains(refusal?.code))
                #expect(refusal?.message.contains("\(cluster.port)") == false)
                try await until { ledger.age != nil }
                #expect(await ledger.obstacleCode() != nil)
                #expect(ledger.catchingUp == nil)
                ledger.health.withLock { $0.readAt = .now - ServedLedger.currentLimit }
                // It leaves to others what one node does for all where one of them goes further.
                ledger.note(nodes: [], position: first)
                #expect(ledger.isCurrent)
                ledger.note(nodes: [Self.row(first + 1, silent: 15_000)], position: first)
                #expect(ledger.isCurrent)
                ledger.note(nodes: [Self.row(first, silent: 0)], position: first)
                #expect(ledger.isCurrent)
                ledger.note(nodes: [Self.row(first + 1, silent: 14_999)], position: first)
                #expect(!ledger.isCurrent)
                // Operators see what is known, and why it is no more.
                let status = try await node.status(.production)
                #expect(!status.isReady && status.head == first && status.quarantine.count == 4)
                #expect(status.apps.map(\.lastEventPosition) == [first])
                let answer = try await node.subscription(chain.id, QueryScope())
                #expect(answer.position == first)
                let known = try await node.subscription(
                    chain.id, QueryScope(knowledge: .knownAt(place.clock.now)))
                #expect(known.position == first)
            }
            try await offPool { try cluster.start() }
            for (node, ledger) in zip(nodes, ledgers) {
                try await until {
                    let code = await ledger.obstacleCode()
                    return code == nil && ledger.age == nil
                }
                // Apple sends it again; the first node to take it appends it.
                #expect(try await node.post(chain.renewed(1)) == 2)
                let answer = try await node.subscription(chain.id, QueryScope(minPosition: 2))
                #expect(answer.position == 2)
            }
        }
    }

    @Test("A node starts while the database is away, and answers from what it had")
    func startedAway() async throws {
        let place = try NodePlace()
        let proxy = try CuttingProxy(to: place.cluster.port)
        defer { proxy.end() }
        let node = try place.configuration(1, port: proxy.port)
        let chain = NodeTests.chains[0]
        try await place.run([node]) { nodes in
            let first = try await nodes[0].post(chain.bought())
            _ = try await nodes[0].subscription(chain.id, QueryScope(minPosition: first))
        }
        proxy.refuse(true)
        // Without a memory of its own a node cannot tell which ledger it would join.
        await #expect(throws: StoreError(.databaseUnavailable, reason: "", remedy: "")) {
            _ = try await place.open(try place.configuration(2, port: proxy.port))
        }
        // As if it had last written its memory an hour ago.
        let memory = NodeMemory.path(in: "\(node.dataDirectory)/production")
        try FileManager.default.setAttributes(
            [.modificationDate: Date.now.addingTimeInterval(-3_600)], ofItemAtPath: memory)
        try await place.run([node]) { nodes in
            let ledger = try nodes[0].ledger(.production)
            #expect(ledger.age.map { $0 > .seconds(3_590) } == true)
            try await until { ledger.projectedPosition == 1 }
            #expect(ledger.catchingUp == nil)
            let answer = try await nodes[0].subscription(chain.id, QueryScope())
            #expect(answer.position == 1)
            let refusal = await #expect(throws: IntakeRefusal.self) {
                _ = try await nodes[0].post(chain.renewed(1))
            }
            #expect(refusal?.standing == .unavailable && refusal?.code == "databaseUnavailable")
            proxy.refuse(false)
            try await until {
                let code = await ledger.obstacleCode()
                return code == nil && ledger.age == nil
            }
            #expect(try await nodes[0].post(chain.renewed(1)) == 2)
            _ = try await nodes[0].subscription(chain.id, QueryScope(minPosition: 2))
        }
    }

    @Test("A role that is refused for a while is as a database that is away")
    func refused() async throws {
        let place = try NodePlace()
        let chain = NodeTests.chains[0]
        let role = PostgresCluster.newName()
        try await place.sql("CREATE ROLE \(role) LOGIN SUPERUSER")
        try await place.run([try place.configuration(1, adding: "user=\(role)")]) { nodes in
            let ledger = try nodes[0].ledger(.production)
            let first = try await nodes[0].post(chain.bought())
            _ = try await nodes[0].subscription(chain.id, QueryScope(minPosition: first))
            // As with a password that was changed, and connections that were lost after it.
            try await place.sql("ALTER ROLE \(role) NOLOGIN")
            try await place.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
            let refusal = await #expect(throws: IntakeRefusal.self) {
                _ = try await nodes[0].post(chain.renewed(1))
            }
            #expect(refusal?.standing == .unavailable && refusal?.code == "databaseRefused")
            try await until { ledger.age != nil }
            for knowledge in [AsOf.everything, .knownAt(place.clock.now)] {
                let answer = try await nodes[0].subscription(
                    chain.id, QueryScope(knowledge: knowledge))
                #expect(answer.position == first)
            }
            try await place.sql("ALTER ROLE \(role) LOGIN")
            try await until {
                let code = await ledger.obstacleCode()
                return code == nil && ledger.age == nil
            }
            #expect(try await nodes[0].post(chain.renewed(1)) == 2)
        }
    }
}
