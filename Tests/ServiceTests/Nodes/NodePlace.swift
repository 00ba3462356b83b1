import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresStore
import PostgresSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@testable import Service

/// Nodes over one database, each with a directory of its own.
struct NodePlace: Sendable {
    let cluster: PostgresCluster
    let directory: TemporaryDirectory
    let schema = PostgresCluster.newName()
    /// The clock of every node: inside the second period of `MadeChain`.
    let clock = ManualClock(Timestamp(milliseconds: 1_771_000_000_000))
    /// How much further each node's clock is than that of the node before it, milliseconds.
    let apart: Int64

    /// - Parameter cluster: nil for the one that tests share.
    init(_ cluster: PostgresCluster? = nil, apart: Int64 = 0) throws {
        self.apart = apart
        self.cluster = try cluster ?? PostgresCluster.shared()
        directory = try TemporaryDirectory()
    }

    /// The schema of Production.
    var productionSchema: String { "\(schema)_production" }

    func configuration(
        _ node: Int, port: UInt16? = nil, schema: String? = nil, adding options: String = ""
    ) throws -> ServiceConfiguration {
        let url = "\(cluster.url(PostgresCluster.superuser, port: port)) \(options)"
        return try configuration(node, url: url, schema: schema)
    }

    func configuration(
        _ node: Int, url: String, schema: String? = nil
    ) throws -> ServiceConfiguration {
        var configuration = Configuration(
            dataDirectory: directory.file("node\(node)"),
            apps: [Configuration.App(bundleId: BundleId(MadeChain.app))])
        configuration.catalogue = StoryCheck.catalogue
        configuration.database = .init(url: url, schema: schema ?? self.schema)
        configuration.database?.engine = PostgresEngine(
            try #require(ConnectionString(url)), schema: schema ?? self.schema)
        return ServiceConfiguration(configuration)
    }

    func open(
        _ configuration: ServiceConfiguration, ahead: Int64 = 0
    ) async throws -> LedgerHost {
        let clock = clock
        return try await LedgerHost.open(
            configuration, environments: [.production], roots: TestAuthority.roots,
            steady: nil, waitLimit: .seconds(120)
        ) { clock.now.advanced(byMilliseconds: ahead) }
    }

    /// Runs nodes while `body` does.
    func run<Value>(
        _ configurations: [ServiceConfiguration],
        _ body: ([LedgerHost]) async throws -> Value
    ) async throws -> Value {
        try await Gate.ledgers.pass {
            var hosts: [LedgerHost] = []
            for (number, configuration) in configurations.enumerated() {
                hosts.append(try await open(configuration, ahead: Int64(number) * apart))
            }
            let opened = hosts
            return try await withThrowingTaskGroup(of: Void.self) { group in
                for host in opened { group.addTask { await host.run() } }
                let result = await Result { try await body(opened) }
                for host in opened { host.stop() }
                try await group.waitForAll()
                return try result.get()
            }
        }
    }

    /// Runs so many nodes.
    func run<Value>(
        count: Int, _ body: ([LedgerHost]) async throws -> Value
    ) async throws -> Value {
        try await run((1...count).map { try configuration($0) }, body)
    }

    /// Changes the events of the production log, which its triggers otherwise refuse.
    func changeEvents(_ statements: String...) async throws {
        let table = "\(productionSchema).events"
        let all =
            ["ALTER TABLE \(table) DISABLE TRIGGER USER"] + statements
            + ["ALTER TABLE \(table) ENABLE TRIGGER USER"]
        try await sql(all.joined(separator: ";\n"))
    }

    @discardableResult
    func sql(_ text: String) async throws -> String {
        let cluster = cluster
        return try await offPool { try cluster.sql(text) }
    }
}

extension LedgerHost {
    /// Posts a notification, and returns its position.
    func post(_ delivery: MadeDelivery) async throws -> Int64 {
        var json = JSONWriter()
        let token = try delivery.token()
        json.object { $0.member("signedPayload", token) }
        return try await takeNotification(json.bytes).position
    }

    /// Posts a chain's life, and waits until its four events are answered.
    func live(_ chain: MadeChain) async throws {
        for delivery in chain.life { _ = try await post(delivery) }
        _ = try await subscription(chain.id, QueryScope(minPosition: 4))
    }

    /// The answer about a chain at exactly this state.
    func show(_ chain: MadeChain, through position: Int64) async throws -> JSONValue {
        let answer = try await subscription(
            chain.id,
            QueryScope(knowledge: .knownPosition(position), minPosition: position))
        return try JSONValue.parse(answer.bytes)
    }
}

extension ServedLedger {
    /// A feed of this node's answers.
    func feed(_ clock: ManualClock) -> ChangeFeed {
        ChangeFeed(ledger: ledger, clock: clock) { [board] in board.snapshot?.projections }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skipped where PostgreSQL is not installed, except in CI.
    static var postgres: ConditionTrait {
        .enabled(if: PostgresCluster.isPresent, "PostgreSQL (Debian's postgresql) is not installed")
    }
}

/// Waits until something holds: polls, so that only a hang takes long.
func until(_ holds: () async throws -> Bool) async throws {
    while try await !holds() { try await Task.sleep(for: .milliseconds(10)) }
}
