import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Projection
import SQLiteStore
import TestSupport
import Testing

@testable import Service

@Suite("A process that does not serve, beside projections of other rules")
struct GivingWayTests {
    private static let limit: Duration = .seconds(120)

    @Test("It has no answers, and goes on once the link names a file of its rules")
    func back() async throws {
        let place = try TemporaryLedger()
        var changed = place
        changed.configuration.catalogue.leewayMilliseconds += 1
        _ = try await place.ingest([MadeChain().bought()])
        try await changed.ledger { ledger in
            let served = ServedLedger(ledger, observer: NoServingObserver())
            async let projecting: Void = ProjectionLoop(served: served, isServing: false).run()
            let result = await Result { () async throws -> Void in
                let own = try await served.snapshot(atLeast: 1, limit: GivingWayTests.limit)
                    .projections.path
                let session = try await LedgerSession.open(
                    place.configuration, environment: place.environment)
                await session.close()
                let others = ledger.projectionFiles.current()
                #expect(others != nil && others != own)
                // A caller that waits is refused at once, as are later ones.
                for position: Int64 in [2, 0] {
                    await #expect(throws: ServingError.otherRules) {
                        try await served.snapshot(atLeast: position, limit: GivingWayTests.limit)
                    }
                }
                #expect(ledger.projectionFiles.current() == others)
                try ledger.projectionFiles.use(own)
                while served.board.isWithdrawn { await Task.yield() }
                let snapshot = try await served.snapshot(atLeast: 1, limit: .zero)
                #expect(snapshot.position == 1 && snapshot.projections.path == own)
            }
            served.stop()
            await projecting
            try result.get()
        }
    }
}
