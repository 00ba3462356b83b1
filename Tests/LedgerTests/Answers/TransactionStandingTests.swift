import AppStore
import Ledger
import Testing

@Suite("Status of one transaction")
struct TransactionStandingTests {
    private let life = given(
        .subscribed("1", day(0), day(30)), Self.priced(.didRenew("2", day(30), day(60))),
        Self.priced(.notification(.refund, "2", day(30), day(60), at: day(40)).revoked(day(39))),
        Self.priced(.notification(.refundReversed, "2", day(30), day(60), at: day(50))),
        .didRenew("3", day(60), day(90)))

    private static func priced(_ fact: Fact) -> Fact {
        fact.transaction {
            $0.price = 5_000
            $0.currency = "EUR"
        }
    }

    private func outcome(_ id: String, _ at: Timestamp) -> TransactionStanding.Outcome? {
        life.standing(of: TransactionId(id), at: at)?.outcome
    }

    @Test("Upcoming, current, ended; starts are inclusive")
    func bounds() {
        #expect(outcome("1", day(0, -1)) == .upcoming)
        #expect(outcome("1", day(0)) == .current)
        #expect(outcome("1", day(30, -1)) == .current)
        #expect(outcome("1", day(30)) == .ended)
        #expect(life.standing(of: TransactionId("1"), at: day(80))?.since == day(30))
        #expect(outcome("4", day(80)) == nil)
    }

    @Test("Refunded while the refund is in force, with its amount")
    func refunded() throws {
        #expect(outcome("2", day(39, -1)) == .current)
        let standing = try #require(life.standing(of: TransactionId("2"), at: day(45)))
        #expect(standing.outcome == .refunded && standing.since == day(39))
        #expect(standing.from == day(30) && standing.to == day(60))
        #expect(outcome("2", day(50)) == .current)
        #expect(outcome("2", day(60)) == .ended)
        #expect(standing.amount == Money(milliunits: 5_000, currency: "EUR"))
        #expect(life.standing(of: TransactionId("2"), at: day(50))?.amount == nil)
    }

    @Test("A period cut short by another ended at its start")
    func cutShort() {
        let life = given(
            .subscribed("1", day(0), day(30)), .didRenew("2", day(10), day(40)))
        let standing = life.standing(of: TransactionId("1"), at: day(20))
        #expect(standing?.outcome == .ended && standing?.since == day(10))
    }

    @Test("A family revoke, and purchases that do not renew")
    func others() {
        let revoked = given(
            .subscribed("1", day(0), day(30)),
            .notification(.revoke, "1", day(0), day(30), at: day(10))
                .revoked(day(9), .familyRevoke))
        #expect(revoked.standing(of: TransactionId("1"), at: day(9))?.outcome == .familyRevoked)
        let owned = given(
            Fact.transaction("1", day(0), day(30), at: day(0)).transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            })
        let standing = owned.standing(of: TransactionId("1"), at: day(9_000))
        #expect(standing?.outcome == .current && standing?.to == nil)
    }
}
