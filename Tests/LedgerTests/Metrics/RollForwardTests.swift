import AppStore
import Ledger
import Testing

/// One chain's life, and its row.
@Suite("Roll-forward of one chain")
struct RollForwardTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    // MARK: Never counted

    @Test("Without chains nothing counts; with fewer than two instants there are no rows")
    func nothing() {
        let empty = RollForward(RollForwardQuery(.chains, instants: [day(0), day(1)])).rows()
        #expect(empty.map(\.isEmpty) == [true])
        for instants in [[], [day(0)], [day(0), day(0)]] {
            var sum = RollForward(RollForwardQuery(.chains, instants: instants))
            sum.add(given(bought).metrics())
            #expect(sum.rows().isEmpty)
        }
    }

    @Test("Family Sharing copies and assigned ones never count")
    func copies() throws {
        for ownership in [InAppOwnershipType.familyShared, .assigned] {
            let life = given(bought.owned(ownership), .expired(at: day(30)))
            let row = try #require(life.rollForward(day(0), day(60)))
            #expect(row.isEmpty)
        }
    }

    @Test("A copy moves in when its holder buys it, and out when it is a copy again")
    func boughtCopy() throws {
        let life = given(
            bought.owned(.familyShared), .didRenew("2", day(30), day(60)),
            .didRenew("3", day(60), day(90)).owned(.familyShared), .expired(at: day(90)))
        let row = try #require(life.rollForward(day(0), day(100)))
        #expect(row.reported == ["movedIn": 1, "movedOut": 1])
        #expect(row.residue == 0)
    }

    @Test("One-time purchases count in no roll-forward")
    func oneTime() throws {
        let life = given(
            Fact.transaction("1", day(0), day(0), at: day(0)).transaction {
                $0.type = Raw(.nonConsumable)
            })
        #expect(life.metrics().stretches.isEmpty)
        #expect(try #require(life.rollForward(day(-1), day(9))).isEmpty)
    }

    // MARK: Bounds

    @Test(
        "A transition at from is inside, one at to is not",
        arguments: [
            (-1, 0, 0, [:], 0), (0, 1, 0, ["new": 1], 1), (1, 29, 1, [:], 1),
            (29, 30, 1, [:], 1), (30, 31, 1, ["churned.voluntary": 1], 0), (31, 99, 0, [:], 0),
            (0, 31, 0, ["new": 1, "churned.voluntary": 1], 0),
        ] as [(Int64, Int64, Int64, [String: Int64], Int64)])
    func bounds(
        _ from: Int64, _ to: Int64, _ start: Int64, _ columns: [String: Int64], _ end: Int64
    ) throws {
        let life = given(bought, .autoRenew(false, at: day(3)), .expired(at: day(30)))
        let row = try #require(life.rollForward(day(from), day(to)))
        #expect(row.activeStart == start)
        #expect(row.reported == columns)
        #expect(row.activeEnd == end)
        #expect(row.residue == 0)
    }

    @Test("A row does not depend on the rest of the query")
    func alone() {
        let life = given(
            bought, .didFailToRenew(at: day(30)), .didRenew("2", day(40), day(70)),
            .expired(at: day(70)))
        let instants = [day(-5), day(0), day(12), day(30), day(41), day(70), day(71)]
        let together = life.rows(RollForwardQuery(.chains, instants: instants))
        #expect(together.count == 6)
        for row in together {
            #expect(life.rollForward(row.from, row.to) == row)
        }
    }

    // MARK: Columns of a gain

    @Test("The first access is new, or appeared if earlier history is missing")
    func first() throws {
        #expect(try #require(given(bought).rollForward(day(0), day(1))).reported == ["new": 1])
        let adopted = given(.didRenew("9", day(0), day(30)))
        #expect(try #require(adopted.rollForward(day(-1), day(1))).reported == ["appeared": 1])
    }

    @Test("Back from billing retry is recovered, and the churn before it remains")
    func recovered() throws {
        let life = given(
            bought, .didFailToRenew(at: day(30)),
            .didRenew("2", day(40), day(70), .billingRecovery))
        let row = try #require(life.rollForward(day(1), day(50)))
        #expect(row.reported == ["churned.billing": 1, "recovered": 1])
        #expect(row.activeStart == 1 && row.activeEnd == 1 && row.residue == 0)
    }

    @Test("Recovery from grace lost no access: nothing moved")
    func grace() throws {
        let life = given(
            bought, .didFailToRenew(at: day(30), grace: day(46)),
            .didRenew("2", day(35), day(65), .billingRecovery))
        #expect(try #require(life.rollForward(day(1), day(50))).reported == [:])
    }

    @Test("Retry that ends in expiry churned once, when access ended")
    func retryThenExpired() throws {
        let life = given(
            bought, .didFailToRenew(at: day(30)), .expired(.billingRetry, at: day(90)))
        #expect(
            try #require(life.rollForward(day(1), day(99))).reported == ["churned.billing": 1])
        #expect(try #require(life.rollForward(day(31), day(99))).reported == [:])
    }

    @Test("A new purchase after expiry is reactivated")
    func reactivated() throws {
        let life = given(
            bought, .autoRenew(false, at: day(3)), .expired(at: day(30)),
            .resubscribed("2", day(50), day(80)))
        #expect(try #require(life.rollForward(day(31), day(60))).reported == ["reactivated": 1])
    }

    @Test("A reversed refund reinstates; a purchase after a refund reactivates")
    func revoked() throws {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9))
        let reversed = given(
            bought, refund, .notification(.refundReversed, "1", day(0), day(30), at: day(12)))
        #expect(
            try #require(reversed.rollForward(day(1), day(20))).reported
                == ["churned.refund": 1, "reinstated": 1])
        let bought = given(bought, refund, .resubscribed("2", day(20), day(50)))
        #expect(
            try #require(bought.rollForward(day(1), day(25))).reported
                == ["churned.refund": 1, "reactivated": 1])
    }

    @Test("A chain whose first period is revoked from its start is new when it buys again")
    func neverEntitled() throws {
        let life = given(
            bought.revoked(day(0)), .resubscribed("2", day(20), day(50)))
        #expect(try #require(life.rollForward(day(-1), day(25))).reported == ["new": 1])
    }

    // MARK: Reasons of churn

    @Test(
        "Churn is in the column of its reason",
        arguments: [
            (.voluntary, .voluntary), (.billingRetry, .billing), (.priceIncrease, .priceIncrease),
            (.productNotForSale, .productUnavailable),
        ] as [(Subtype, EndReason)])
    func reasons(_ subtype: Subtype, _ reason: EndReason) throws {
        let life = given(bought, .expired(subtype, at: day(30)))
        let row = try #require(life.rollForward(day(1), day(40)))
        #expect(row.reported == ["churned.\(reason.rawValue)": 1])
        #expect(row.churned == 1)
    }

    @Test("A period that ended without a statement churned unconfirmed")
    func unconfirmed() throws {
        #expect(
            try #require(given(bought).rollForward(day(1), day(40))).reported
                == ["churned.unconfirmed": 1])
    }

    @Test("A withdrawn family copy is not churn")
    func familyRevoke() throws {
        let life = given(
            bought.owned(.familyShared),
            Fact.notification(.revoke, "1", day(0), day(30), at: day(10)).revoked(
                day(9), .familyRevoke
            ).owned(.familyShared))
        #expect(try #require(life.rollForward(day(1), day(40))).isEmpty)
    }
}
