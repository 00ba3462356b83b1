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

    // MARK: Columns of a gain

    /// The columns of the only row from a day until another.
    private func expect(
        _ columns: [String: Int64], _ from: Int64, _ to: Int64, _ facts: Fact...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let row = try #require(
            given(facts).rollForward(day(from), day(to)), sourceLocation: sourceLocation)
        #expect(row.reported == columns, sourceLocation: sourceLocation)
        #expect(row.residue == 0, sourceLocation: sourceLocation)
    }

    @Test("The first access is new, or appeared if earlier history is missing")
    func first() throws {
        try expect(["new": 1], 0, 1, bought)
        try expect(["appeared": 1], -1, 1, .didRenew("9", day(0), day(30)))
        // Its first period is revoked from its start.
        try expect(["new": 1], -1, 25, bought.revoked(day(0)), .resubscribed("2", day(20), day(50)))
    }

    @Test("Back from billing retry is recovered, from grace nothing moved; churned once in all")
    func failed() throws {
        let retry = Fact.didFailToRenew(at: day(30))
        let recovered = Fact.didRenew("2", day(40), day(70), .billingRecovery)
        try expect(["churned.billing": 1, "recovered": 1], 1, 50, bought, retry, recovered)
        let grace = Fact.didFailToRenew(at: day(30), grace: day(46))
        try expect([:], 1, 50, bought, grace, .didRenew("2", day(35), day(65), .billingRecovery))
        let over = Fact.expired(.billingRetry, at: day(90))
        try expect(["churned.billing": 1], 1, 99, bought, retry, over)
        try expect([:], 31, 99, bought, retry, over)
        // It ended without a statement.
        try expect(["churned.unconfirmed": 1], 1, 40, bought)
    }

    @Test("A purchase after expiry or a refund reactivates; a reversed refund reinstates")
    func back() throws {
        let again = Fact.resubscribed("2", day(50), day(80))
        try expect(["reactivated": 1], 31, 60, bought, .expired(at: day(30)), again)
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9))
        let reversal = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12))
        try expect(["churned.refund": 1, "reinstated": 1], 1, 20, bought, refund, reversal)
        try expect(["churned.refund": 1, "reactivated": 1], 1, 60, bought, refund, again)
    }
}
