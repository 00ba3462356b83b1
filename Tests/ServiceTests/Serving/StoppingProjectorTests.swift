import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Synchronization
import Testing

@testable import Service

@Suite("The projector of a service that stops")
struct StoppingProjectorTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    /// Keeps the codes of the notes of the service.
    private final class Notes: ServingObserver {
        private let noted = Mutex<[String]>([])

        var codes: [String] { noted.withLock { $0 } }

        func noted(_ note: ServingNote) { noted.withLock { $0.append(note.code) } }
    }

    /// Ends a service that stops before its projector has begun, and returns the current file.
    private func stop(
        _ place: TemporaryLedger, shortLogCount: Int64
    ) async throws -> String? {
        try await place.ledger { ledger in
            let notes = Notes()
            let served = ServedLedger(ledger, observer: notes)
            served.stop()
            await ProjectionLoop(served: served, shortLogCount: shortLogCount).run()
            #expect(notes.codes == (shortLogCount == 0 ? ["rebuildLeft"] : []))
            return ledger.projectionFiles.current()
        }
    }

    @Test("It leaves the rebuild after an erasure to the next start, unless the log is short")
    func erased() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought(), other.bought()])
        let before = try await place.session { session in
            let erasure = PersonErasure(session, now: place.now)
            _ = try await erasure.run(
                chains: [place.chain(chain.id)], customer: nil, TemporaryLedger.erasing)
            return session.ledger.projectionFiles.current()
        }
        #expect(before != nil)
        #expect(try await stop(place, shortLogCount: 0) == before)
        let after = try await stop(place, shortLogCount: BulkLimits.leastEventCount)
        #expect(after != nil && after != before)
    }
}
