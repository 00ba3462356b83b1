import AppStore
import Ledger
import Testing

@Suite("Names of changes")
struct ChangeNameTests {
    @Test("names are unique and parse back")
    func distinct() {
        let names = ChangeName.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.compactMap(ChangeName.init(rawValue:)) == ChangeName.allCases)
    }

    @Test("invalid names are rejected", arguments: ["", "Expired", "EXPIRED", "test", "renewing"])
    func unknown(_ name: String) {
        #expect(ChangeName(rawValue: name) == nil)
    }

    @Test("places parse back, and are ordered like the feed")
    func places() {
        let places = [
            ChangePlace.beginning, ChangePlace(position: 1), ChangePlace(position: 1, index: 1),
            .afterEvent(at: 1), ChangePlace(position: 1, clock: 5),
            ChangePlace(position: 1, clock: 5, ordinal: 1), .end(of: 1), ChangePlace(position: 2),
        ]
        #expect(places == places.sorted())
        for place in places { #expect(ChangePlace(place.description) == place) }
        #expect(ChangePlace("17") == .afterEvent(at: 17))
        #expect(ChangePlace("0-3") == ChangePlace(position: 0, index: 3))
        #expect(ChangePlace("9223372036854775807") == .afterEvent(at: .max))
    }

    @Test(
        "invalid places are rejected",
        arguments: [
            "", "-", "1-", "-1", "1-2-3", "1-0-0-0", "1-2-3-4-5", "a", "1.5", "+1", " 1",
            "99999999999999999999", "9223372036854775808", "01", "0-3 ", "00", "0-03", "-0", "1--1",
            "1-05-0-0", "1-5-00-0", "1-5-0-+1",
        ])
    func unreadablePlaces(_ text: String) {
        #expect(ChangePlace(text) == nil)
    }

    /// The changes of one chain, without facts.
    private func transitions(_ facts: [Fact], catalogue: Catalogue = Catalogue()) -> [String] {
        var rules = ChangeStreamTests.rules
        rules.catalogue = catalogue
        let stream = ChangeStream(
            ChangeStreamTests.chain, facts: numbered(facts),
            readings: [ClockReading(position: 99, at: day(60), ordinal: 0)], rules: rules
        ) { _ in true }
        return stream.changes.compactMap { change in
            guard case .transition(let name) = change.name else { return nil }
            return name.rawValue
        }
    }

    private func refund(_ refunded: Timestamp, reversed: Timestamp) -> [Fact] {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: refunded)
            .revoked(refunded)
        let reversal = Fact.notification(.refundReversed, "1", day(0), day(30), at: reversed)
        return [refund, reversal]
    }

    @Test("a failed renewal starts grace or billing retry, and what is paid late is recovered")
    func failures() {
        // given
        let bought = ChangeStreamTests().bought
        let inGrace = Fact.didFailToRenew(at: day(30), grace: day(46))
        let failed = Fact.didFailToRenew(at: day(30))
        let paid = Fact.didRenew("2", day(40), day(70), .billingRecovery)
        // then
        #expect(transitions([bought, inGrace, paid]) == ["started", "graceStarted", "recovered"])
        #expect(
            transitions([bought, failed, paid]) == ["started", "billingRetryStarted", "recovered"])
        #expect(
            transitions([bought, inGrace, .expired(.billingRetry, at: day(55))]) == [
                "started", "graceStarted", "billingRetryStarted", "expired",
            ])
        #expect(transitions([.didRenew("1", day(40), day(70))]) == ["adopted"])
    }

    @Test("a reversed refund reinstates the period or its grace; billing retry starts again")
    func reversals() {
        // given
        let bought = ChangeStreamTests().bought
        let running = [bought] + refund(day(9), reversed: day(12))
        let late = refund(day(31), reversed: day(33))
        let inGrace = [bought, Fact.didFailToRenew(at: day(30), grace: day(61))] + late
        let failed = [bought, Fact.didFailToRenew(at: day(30))] + late
        // then
        let reinstated = ["started", "revoked", "reinstated"]
        #expect(Array(transitions(running).prefix(3)) == reinstated)
        #expect(transitions(inGrace) == ["started", "graceStarted", "revoked", "reinstated"])
        #expect(
            transitions(failed) == [
                "started", "billingRetryStarted", "revoked", "billingRetryStarted",
            ])
        let names = ChangeStreamTests().reported(running).map(\.name.rawValue)
        #expect(names.contains("refunded") && names.contains("refundReversed"))
    }

    @Test("one-time purchases are purchased or consumed, revoked, reinstated, and lapse")
    func oneTime() throws {
        // given
        func life(_ type: ProductType) -> [Fact] {
            let charge = Fact.notification(.oneTimeCharge, "1", day(0), day(0))
            return ([charge] + refund(day(9), reversed: day(12))).map { fact in
                fact.transaction {
                    $0.type = Raw(type)
                    $0.expiresDate = nil
                }
            }
        }
        let month = try #require(ISO8601Period("P30D"))
        let catalogue = Catalogue(products: [ProductId("pro.monthly"): .init(duration: month)])
        // then
        #expect(transitions(life(.nonConsumable)) == ["purchased", "revoked", "reinstated"])
        #expect(transitions(life(.consumable)) == ["consumed", "revoked", "reinstated"])
        #expect(
            transitions(life(.nonRenewingSubscription), catalogue: catalogue) == [
                "purchased", "revoked", "reinstated", "lapsed",
            ])
    }
}
