import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3.
@Suite("§3: transitions and their order in the timeline")
struct TimelineTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    private func names(_ life: Lifecycle) -> [String] {
        life.timeline.map { entry in
            switch entry.kind {
            case .state(let transition): transition.to.rawValue
            case .fact(let fact): fact.name.rawValue
            }
        }
    }

    @Test("Facts are ordered by their moment, not by signing time")
    func byMoment() {
        let life = given(
            bought, .notification(.refundDeclined, at: day(8)),
            .notification(.refund, "1", day(0), day(30), at: day(20)).revoked(day(5)),
            .notification(.consumptionRequest, at: day(3)))
        #expect(
            names(life) == [
                "subscribed", "consumptionRequested", "revoked", "refunded", "refundDeclined",
            ])
        #expect(life.timeline.map(\.cause) == [1, 4, 3, 3, 2])
    }

    @Test("At one moment facts are ordered by signedDate, then digest")
    func ties() {
        let life = given(
            bought, .notification(.refundDeclined, at: day(8)).digest(2),
            .notification(.consumptionRequest, at: day(8)).digest(1),
            // A refund of day 8, signed later.
            .notification(.refund, "1", day(0), day(30), at: day(9)).revoked(day(8)).digest(0))
        #expect(
            names(life) == [
                "subscribed", "revoked", "consumptionRequested", "refundDeclined", "refunded",
            ])
    }

    @Test("Every entry names an existing fact")
    func causes() {
        let life = given(
            bought, .didFailToRenew(at: day(30), grace: day(36)),
            .didRenew("2", day(40), day(70), .billingRecovery), .expired(at: day(70)))
        #expect(life.timeline.allSatisfy { (1...4).contains($0.cause) })
        #expect(life.transitions.map(\.cause) == [1, 2, 2, 3, 4])
    }

    @Test("The end of a revocation is caused by the snapshot that reversed it")
    func reversal() {
        let life = given(
            bought, .notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(12)))
        #expect(life.transitions.map(\.cause) == [1, 2, 3, 1])
        let late = given(
            bought, .notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(45)))
        #expect(late.transitions.map(\.cause) == [1, 2, 3])
    }
}
