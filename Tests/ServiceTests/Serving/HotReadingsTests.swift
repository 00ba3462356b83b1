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

    @Test("a value read from one state is not returned for another")
    func otherState() async throws {
        try await states { first, second in
            let hot = HotReadings<String, Int>(maximumCost: 4)
            hot.keep(1, for: "a", of: first)
            #expect(hot.value("a", of: first) == 1)
            #expect(hot.value("a", of: second) == nil)
            #expect(hot.value("b", of: first) == nil)
        }
    }

    @Test("a newer state clears the cache, and a slow reader changes nothing")
    func slowReader() async throws {
        try await states { first, second in
            let hot = HotReadings<String, Int>(maximumCost: 4)
            hot.keep(1, for: "a", of: first)
            hot.keep(2, for: "b", of: second)
            hot.keep(3, for: "c", of: first)
            #expect(hot.value("a", of: second) == nil)
            #expect(hot.value("b", of: second) == 2)
            #expect(hot.value("c", of: second) == nil)
            #expect(hot.value("c", of: first) == nil)
        }
    }

    @Test("once all before a state is forgotten, a slow reader keeps nothing of it")
    func forgotten() async throws {
        try await states { first, second in
            let hot = HotReadings<String, Int>(maximumCost: 4)
            hot.keep(1, for: "a", of: first)
            hot.removeAll(before: second)
            hot.keep(1, for: "a", of: first)
            #expect(hot.value("a", of: first) == nil)
            hot.keep(2, for: "a", of: second)
            #expect(hot.value("a", of: second) == 2)
        }
    }

    @Test("the size is bounded: a full cache begins anew")
    func bound() async throws {
        try await states { state, _ in
            let hot = HotReadings<Int, Int>(maximumCost: 4)
            func kept() -> [Int] { (0..<8).filter { hot.value($0, of: state) != nil } }
            for key in [0, 1, 2, 3, 3] { hot.keep(key, for: key, of: state) }
            #expect(kept() == [0, 1, 2, 3])
            hot.keep(4, for: 4, of: state)
            #expect(kept() == [4])
        }
    }

    @Test("a value that fills the cache is kept, a larger one is not")
    func cost() async throws {
        try await states { state, _ in
            let hot = HotReadings<Int, Int>(maximumCost: 4, cost: { $0 })
            hot.keep(4, for: 4, of: state)
            hot.keep(5, for: 5, of: state)
            #expect(hot.value(4, of: state) == 4)
            #expect(hot.value(5, of: state) == nil)
        }
    }
}
