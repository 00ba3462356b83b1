import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import Projection

@Suite("Steps of the projector")
struct ProjectionStepsTests {
    private let chain = MadeChain(id: "570000000000001")
    private let other = MadeChain(id: "570000000000005")

    @Test("A stopping service ends a bulk rebuild, of which nothing is left; the next is complete")
    func stopped() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(chain.life + other.life)
        try await ledger.ledger { ledger in
            // It stops while events are decoded; then, with the facts, while sweeps are read and
            // while chains are folded.
            for askedCount in [0, 1, 1] {
                let left = Mutex(askedCount)
                do throws(StoreError) {
                    let goesOn: @Sendable () -> Bool = {
                        left.withLock { left in
                            left -= 1
                            return left >= 0
                        }
                    }
                    _ = try await Projector.open(ledger, goesOn: goesOn)
                    Issue.record("opened")
                } catch { #expect(error.code == .closed) }
                #expect(ledger.projectionFiles.current() == nil)
                #expect(ledger.projectionFiles.otherNames().isEmpty)
            }
            let projector = try #require(try await Projector.open(ledger))
            #expect(projector.wasBuiltOnOpening)
            #expect(try await RebuildCheck(projector).run().count == 0)
        }
    }

    /// Events that follow empty projections.
    private static let unprojected = Task {
        let (chain, other) = (
            MadeChain(id: "570000000000001"), MadeChain(id: "570000000000005")
        )
        let ledger = try TemporaryLedger(in: TemporaryDirectory.shared())
        try await ledger.session { #expect($0.head == 0) }
        _ = try await ledger.ingest(chain.life + other.life)
        return ledger
    }

    @Test("However few events a step takes, rows, facts and sums equal those of a rebuild")
    func steps() async throws {
        for fewer in [0, 1, 2, 5, .max] {
            let ledger = try await Self.unprojected.value.copied()
            try await ledger.ledger { ledger in
                let head = try await ledger.log.head().position
                #expect(head > 6)
                // One step at the bound, two one past it.
                let eventCount = max(1, fewer == .max ? 1 : Int(head) - fewer)
                let projector = try #require(try await Projector.open(ledger))
                let reported = Mutex<[Int64]>([])
                let steps = ProjectionSteps(
                    ledger: ledger, projections: projector.projections, numbers: ClassNumbers(),
                    eventCount: eventCount
                ) { progress in
                    guard progress.phase == .apply else { return }
                    reported.withLock { $0.append(progress.position) }
                }
                try await steps.run(through: head)
                let ends = stride(from: 0, to: Int(head), by: eventCount).map {
                    min(Int64($0 + eventCount), head)
                }
                #expect(reported.withLock { $0 } == ends)
                #expect(try await projector.projections.checkpoint().position == head)
                #expect(try await ledger.facts.checkpoint().position == head)
                let found = try await RebuildCheck(projector).run()
                #expect(found.count == 0 && found.fileFindings.isEmpty)
                // Nothing is left to do, and nothing is done.
                try await steps.run(through: head)
                #expect(reported.withLock { $0 } == ends)
            }
        }
    }
}
