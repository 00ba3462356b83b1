import AppStore
import Ledger
import LedgerTestSupport
import Testing

@testable import Projection
@testable import Service

@Suite("Cached reads")
struct HotReadingsTests {
    /// Supplies states of one ledger that differ only in the position.
    private func states(_ body: (LedgerSnapshot, LedgerSnapshot) throws -> Void) async throws {
        try await TemporaryLedger().session { session in
            let store = session.projections
            func state(_ position: Int64) -> LedgerSnapshot {
                LedgerSnapshot(
                    ledger: session.ledger, facts: session.ledger.facts, projections: store,
                    position: position)
            }
            try body(state(1), state(2))
        }
    }

    @Test("a value of one state is not returned for another, and a slow reader changes nothing")
    func otherStates() async throws {
        try await states { first, second in
            let hot = HotReadings<String, Int>(maximumCost: 4)
            hot.keep(1, for: "a", of: first)
            #expect(hot.value("a", of: first) == 1)
            #expect(hot.value("a", of: second) == nil)
            #expect(hot.value("b", of: first) == nil)
            // A newer state clears the cache.
            hot.keep(2, for: "b", of: second)
            hot.keep(3, for: "c", of: first)
            #expect(hot.value("a", of: second) == nil)
            #expect(hot.value("b", of: second) == 2)
            #expect(hot.value("c", of: second) == nil)
            #expect(hot.value("c", of: first) == nil)
            // Once all before a state is forgotten, a slow reader keeps nothing of it.
            let emptied = HotReadings<String, Int>(maximumCost: 4)
            emptied.keep(1, for: "a", of: first)
            emptied.removeAll(before: second)
            emptied.keep(1, for: "a", of: first)
            #expect(emptied.value("a", of: first) == nil)
            emptied.keep(2, for: "a", of: second)
            #expect(emptied.value("a", of: second) == 2)
        }
    }

    @Test("the size is bounded: a full cache begins anew, and a value larger than it is not kept")
    func bounds() async throws {
        try await states { state, _ in
            let hot = HotReadings<Int, Int>(maximumCost: 4)
            func kept() -> [Int] { (0..<8).filter { hot.value($0, of: state) != nil } }
            for key in [0, 1, 2, 3, 3] { hot.keep(key, for: key, of: state) }
            #expect(kept() == [0, 1, 2, 3])
            hot.keep(4, for: 4, of: state)
            #expect(kept() == [4])
            let weighed = HotReadings<Int, Int>(maximumCost: 4, cost: { $0 })
            weighed.keep(4, for: 4, of: state)
            weighed.keep(5, for: 5, of: state)
            #expect(weighed.value(4, of: state) == 4)
            #expect(weighed.value(5, of: state) == nil)
        }
    }
}
