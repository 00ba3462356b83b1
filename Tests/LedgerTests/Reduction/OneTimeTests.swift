import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §5.
@Suite("§5: purchases that are not auto-renewable")
struct OneTimeTests {
    private func bought(
        _ type: ProductType, _ id: String = "1", from: Timestamp = day(0), at: Timestamp? = nil
    ) -> Fact {
        Fact.notification(.oneTimeCharge, id, from, from, at: at ?? from).transaction {
            $0.type = Raw(type)
            $0.expiresDate = nil
            $0.productId = ProductId("pass")
        }
    }

    private func catalogue(_ duration: String) throws -> Catalogue {
        let duration = try #require(ISO8601Period(duration))
        return Catalogue(products: [ProductId("pass"): .init(duration: duration)])
    }

    @Test("A copy that states no revocation does not reverse that of another transaction")
    func copyOfRefunded() {
        let refunded = bought(.nonConsumable, at: day(40)).revoked(day(39))
        let facts = [bought(.nonConsumable), bought(.nonConsumable, "2", from: day(20)), refunded]
        for signed in [day(30), day(40), day(41)] {
            let copy = bought(.nonConsumable, "2", from: day(20), at: signed)
            let life = given(facts + [copy])
            expectHistory(life, [Start(.owned, day(0)), Start(.revoked, day(39))])
            #expect(life.timelineEvents.map(\.name) == [.refunded])
        }
        let reversed = given(facts + [bought(.nonConsumable, at: day(50))])
        #expect(reversed.history.last == Start(.owned, day(50)))
    }

    @Test("Revoked while any transaction is, until one of them is reversed")
    func union() {
        func copy(_ at: Timestamp, _ id: String = "2", from: Timestamp = day(5)) -> Fact {
            bought(.nonConsumable, id, from: from, at: at)
        }
        let refunded = [
            bought(.nonConsumable), copy(day(5)),
            bought(.nonConsumable, at: day(10)).revoked(day(9)), copy(day(11)).revoked(day(9)),
        ]
        let history = [Start(.owned, day(0)), Start(.revoked, day(9)), Start(.owned, day(12))]
        let repeated = bought(.nonConsumable, at: day(15))
        for reversal in [copy(day(12)), bought(.nonConsumable, at: day(12))] {
            for later in [[], [repeated]] {
                let life = given(refunded + [reversal] + later)
                expectHistory(life, history)
                #expect(life.timelineEvents.map(\.name) == [.refunded, .refundReversed])
            }
            // One that is restored after the reversal is a copy.
            let restored = given(refunded + [reversal, copy(day(20), "3", from: day(20))])
            #expect(restored.history.map(\.at) == history.map(\.at))
            // One that is stated as revoked after it stays so.
            let again = given(refunded + [reversal, copy(day(13)).revoked(day(9))])
            #expect(again.history.last == Start(.revoked, day(9)))
        }
    }

    @Test("A transaction bought after the revocation of another gives access from its purchase")
    func boughtAgain() {
        let refunded = [
            bought(.nonConsumable), bought(.nonConsumable, at: day(10)).revoked(day(9)),
        ]
        for signed in [day(20), day(300)] {
            let again = bought(.nonConsumable, "2", from: day(20), at: signed)
            let life = given(refunded + [again])
            expectHistory(
                life,
                [
                    Start(.owned, day(0)), Start(.revoked, day(9)), Start(.owned, day(20)),
                ])
            let second = bought(.nonConsumable, "2", from: day(20), at: day(301))
            let lost = given(refunded + [again, second.revoked(day(25))])
            #expect(lost.history.last == Start(.revoked, day(25)))
            // The refund before stands; what is stated about it later does not change the next one.
            #expect(life.timelineEvents.map(\.name) == [.refunded])
            #expect(life.standing(of: TransactionId("1"), at: day(30))?.outcome == .refunded)
            #expect(life.standing(of: TransactionId("2"), at: day(30))?.outcome == .current)
            let reversed = refunded + [again, bought(.nonConsumable, at: day(302))]
            expectHistory(given(reversed), life.history)
            let standing = given(reversed).standing(of: TransactionId("1"), at: day(303))
            #expect(standing?.outcome == .current)
            #expect(given(reversed).timelineEvents(.refundReversed).map(\.at) == [day(302)])
            // The one that was given back remains when the other is refunded.
            let one = given(reversed + [second.revoked(day(301))])
            #expect(one.state(day(301)) == .revoked && one.state(day(302)) == .owned)
            #expect(one.answer(day(400))?.transactionId == TransactionId("1"))
        }
        // Another date of the refund later, or none, does not take back the purchase between.
        let again = bought(.nonConsumable, "2", from: day(20))
        let redated = bought(.nonConsumable, at: day(41)).revoked(day(40))
        for later in [redated, bought(.nonConsumable, at: day(41))] {
            let life = given(refunded + [again, later])
            #expect(life.answer(day(50))?.transactionId == TransactionId("2"))
            #expect(life.state(day(50)) == .owned)
        }
        // A revocation dated before its own purchase ends with another one only.
        let early = bought(.nonConsumable, from: day(3), at: day(10)).revoked(day(1))
        expectHistory(given(early), [Start(.revoked, day(3))])
    }

    @Test("A lapsed and refunded subscription that is bought again has its duration anew")
    func boughtAgainAfterLapse() throws {
        let refunded = [
            bought(.nonRenewingSubscription),
            bought(.nonRenewingSubscription, at: day(41)).revoked(day(40)),
        ]
        let again = bought(.nonRenewingSubscription, "2", from: day(50))
        let life = given(refunded + [again], catalogue: try catalogue("P30D"))
        #expect(life.history.map(\.state) == [.owned, .lapsed, .revoked, .owned, .lapsed])
        #expect(life.history.suffix(2) == [Start(.owned, day(50)), Start(.lapsed, day(80))])
        let early = given(
            [bought(.nonRenewingSubscription), again]
                + [bought(.nonRenewingSubscription, at: day(10)).revoked(day(9))],
            catalogue: try catalogue("P1Y"))
        #expect(early.history.dropFirst(2).first == Start(.owned, day(50)))
    }

    @Test("Where no purchase is in force the one that was last in force governs")
    func lapsedBesideRefunded() throws {
        let first = [
            bought(.nonRenewingSubscription),
            bought(.nonRenewingSubscription, at: day(6)).revoked(day(5)),
            bought(.nonRenewingSubscription, at: day(20)),
        ]
        let second = [
            bought(.nonRenewingSubscription, "2", from: day(7)),
            bought(.nonRenewingSubscription, "2", from: day(7), at: day(16)).revoked(day(15)),
        ]
        let life = given(first + second, catalogue: try catalogue("P30D"))
        expectHistory(
            life,
            [
                Start(.owned, day(0)), Start(.revoked, day(5)), Start(.owned, day(7)),
                Start(.revoked, day(15)), Start(.owned, day(20)), Start(.lapsed, day(30)),
            ])
    }

    @Test("Without a duration it is owned without end, with a notice")
    func noDuration() {
        for catalogue in [Catalogue(), Catalogue(products: [ProductId("pass"): .init()])] {
            let life = given(bought(.nonRenewingSubscription), catalogue: catalogue)
            expectHistory(life, [Start(.owned, day(0))])
            expectNotices(life, [.unknownValue])
        }
        expectNotices(given(bought(.nonConsumable)), [])
        expectNotices(given(bought(.consumable)), [])
    }

    @Test(
        "Durations are calendar periods in UTC, the day clamped to the month",
        arguments: [
            ("2026-01-31T10:00:00Z", "P1M", "2026-02-28T10:00:00Z"),
            ("2024-01-31T10:00:00Z", "P1M", "2024-02-29T10:00:00Z"),
            ("2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"),
            ("2026-10-31T23:59:59Z", "P1M", "2026-11-30T23:59:59Z"),
            ("2026-12-15T00:00:00Z", "P1M", "2027-01-15T00:00:00Z"),
            ("2026-03-29T00:30:00Z", "P1D", "2026-03-30T00:30:00Z"),
            ("2026-01-31T00:00:00Z", "P1M1D", "2026-03-01T00:00:00Z"),
            ("2026-01-01T00:00:00Z", "PT36H", "2026-01-02T12:00:00Z"),
        ])
    func calendar(_ from: String, _ duration: String, _ to: String) throws {
        let start = try #require(Timestamp(rfc3339: from))
        let end = try #require(Timestamp(rfc3339: to))
        let life = given(
            bought(.nonRenewingSubscription, from: start), catalogue: try catalogue(duration))
        expectHistory(life, [Start(.owned, start), Start(.lapsed, end)])
    }

    @Test("A zero duration lapses immediately")
    func nothing() throws {
        let life = given(bought(.nonRenewingSubscription), catalogue: try catalogue("PT0S"))
        expectHistory(life, [Start(.lapsed, day(0))])
    }

    @Test("A duration beyond all dates lapses at the end of time")
    func endless() {
        let catalogue = Catalogue(
            products: [ProductId("pass"): .init(duration: ISO8601Period(days: .max))])
        let life = given(bought(.nonRenewingSubscription), catalogue: catalogue)
        #expect(life.history.last == Start(.lapsed, Timestamp(milliseconds: .max)))
    }
}
