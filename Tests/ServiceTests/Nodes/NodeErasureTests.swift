import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import PostgresSupport
import Projection
import Queries
import TestSupport
import Testing

@testable import Service

@Suite("Erasures from a database", .postgres)
struct NodeErasureTests {
    private static let chain = MadeChain()
    private static let other = MadeChain(id: "540000000000001")

    @Test(
        "Stopped before, in and after the log: undone or done, and the same order finishes it",
        arguments: [PersonErasure.Step.quarantine, .log, .operationsPurge])
    func stopped(after last: PersonErasure.Step) async throws {
        // given
        let place = try NodePlace(PostgresCluster.sharedForErasures())
        let (chain, other) = (NodeErasureTests.chain, NodeErasureTests.other)
        var ledger = try TemporaryLedger()
        ledger.configuration = try place.configuration(1).ledger
        _ = try await ledger.ingest(zip(chain.life, other.life).flatMap { [$0, $1] })
        let before = try await ledger.show(chain.id)
        // when
        let steps = Array(PersonErasure.Step.allCases.prefix { $0 != last }) + [last]
        try await ledger.session { session in
            let erasure = PersonErasure(session, now: ledger.now)
            let plan = try await erasure.plan(chains: [ledger.chain(chain.id)], customer: nil)
            try await erasure.carryOut(plan, TemporaryLedger.erasing, steps: steps)
        }
        // then
        let isErased = steps.contains(.log)
        if isErased {
            await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
        } else {
            let shown = try await ledger.show(chain.id)
            #expect(shown == before)
        }
        let receipt = try await ledger.erase(chains: [chain.id])
        #expect(receipt.position == 9 && (receipt.plan == nil) == isErased)
        await #expect(throws: QueryError.self) { try await ledger.show(chain.id) }
        let report = try await ledger.ledger { try await $0.log.verify() }
        #expect(report.isSound && report.tombstoneCount == 4, "\(report.findings)")
        let named = try await place.sql(
            """
            SELECT DISTINCT convert_from(chain, 'UTF8') FROM \(place.productionSchema).events
            WHERE chain IS NOT NULL
            """)
        #expect(named == other.id)
        let lives = try await ledger.exportLines(.subscriptions)
        #expect(lives.count == 2)
    }

    @Test("A decision about what another node erased is refused, also by a node that lags behind")
    func erasedElsewhere() async throws {
        let place = try NodePlace(PostgresCluster.sharedForErasures())
        let (erased, other) = (NodeErasureTests.chain, NodeErasureTests.other)
        try await place.run(count: 2) { nodes in
            for chain in [erased, other] { _ = try await nodes[0].post(chain.bought()) }
            let receipt = try await nodes[0].erase(
                chains: [erased.id], customer: nil, .init(actor: "dpo", reason: "asked"),
                QueryScope())
            #expect(receipt.position == 3)
            let served = try nodes[1].ledger(.production)
            // As of a state that has both chains.
            func link(_ chain: MadeChain) async throws -> CommandReceipt {
                try await nodes[1].commands(served).run(
                    .link(CustomerId("anna")), about: chain.chainId, asOf: 2,
                    .init(actor: "sara", reason: "called"))
            }
            let error = await #expect(throws: CommandError.self) { _ = try await link(erased) }
            #expect(error?.failure?.code == .erasureOvertaken)
            #expect(try await served.ledger.log.head().position == 3)
            #expect(served.obstacle == nil)
            #expect(try await link(other).position == 4)
        }
    }
}
