import AppStore
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Projection
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("A process that does not serve, beside projections of other rules")
struct GivingWayTests {
    private static let limit: Duration = .seconds(120)

    @Test("It has no answers and remembers no person, until the link names a file of its rules")
    func back() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain().bought()])
        try await beside(place) { served in
            let files = served.ledger.projectionFiles
            let own = try await served.snapshot(atLeast: 1, limit: GivingWayTests.limit)
                .projections.path
            let forgotten = Flag()
            served.erasureHandlers.withLock { $0.append { forgotten.set() } }
            try await project(place)
            let others = files.current()
            #expect(others != nil && others != own)
            // A caller that waits is refused at once, as are later ones.
            for position: Int64 in [2, 0] {
                await #expect(throws: ServingError.otherRules) {
                    try await served.snapshot(atLeast: position, limit: GivingWayTests.limit)
                }
            }
            #expect(forgotten.isSet)
            #expect(files.current() == others)
            try files.use(own)
            while served.board.refusedPath != nil { await Task.yield() }
            let snapshot = try await served.snapshot(atLeast: 1, limit: .zero)
            #expect(snapshot.position == 1 && snapshot.projections.path == own)
        }
    }

    @Test("It builds its own projections where those of the other rules are gone")
    func gone() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([MadeChain().bought()])
        try await beside(place) { served in
            let ledger = served.ledger
            _ = try await served.snapshot(atLeast: 1, limit: GivingWayTests.limit)
            try await project(place)
            while served.board.refusedPath == nil { await Task.yield() }
            let others = try #require(ledger.projectionFiles.current())
            try FileManager.default.removeItem(atPath: others)
            while served.board.refusedPath != nil { await Task.yield() }
            let snapshot = try await served.snapshot(atLeast: 1, limit: GivingWayTests.limit)
            #expect(snapshot.position == 1 && snapshot.projections.path != others)
        }
    }

    /// Projects by the rules of `place`, and releases the lock.
    private func project(_ place: TemporaryLedger) async throws {
        let session = try await LedgerSession.open(
            place.configuration, environment: place.environment)
        await session.close()
    }

    /// Runs the loop of a process of other rules that does not serve.
    private func beside(
        _ place: TemporaryLedger, _ body: (ServedLedger) async throws -> Void
    ) async throws {
        var changed = place
        changed.configuration.catalogue.leewayMilliseconds += 1
        try await changed.ledger { ledger in
            let served = ServedLedger(ledger, observer: NoServingObserver())
            async let projecting: Void = ProjectionLoop(served: served, isServing: false).run()
            let result = await Result { () async throws -> Void in try await body(served) }
            served.stop()
            await projecting
            try result.get()
        }
    }
}
