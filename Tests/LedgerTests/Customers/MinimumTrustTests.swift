import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §6, Minimum trust: the trust a chain needs to give access.
@Suite("§6: minimum trust")
struct MinimumTrustTests {
    private let ann = CustomerId("ann")

    private func bought(_ trust: Trust, _ id: String = "1", from: Int64 = 0) -> Fact {
        .subscribed(id, day(from), day(from + 30)).token("ann").trusted(trust)
    }

    private func life(_ facts: [Fact], _ minimum: Catalogue.MinimumTrust) -> Lifecycle {
        given(facts, catalogue: catalogue(minimum))
    }

    private func catalogue(_ minimum: Catalogue.MinimumTrust) -> Catalogue {
        var catalogue = Catalogue()
        catalogue.minimumTrust = minimum
        return catalogue
    }

    private func asked(
        _ facts: [Fact], _ minimum: Catalogue.MinimumTrust, at: Timestamp
    ) -> Entitlements {
        let holding = life(facts, minimum).holding(
            of: ann,
            chain: ChainId(
                bundleId: BundleId("app"), originalTransactionId: OriginalTransactionId("1")))
        return Entitlements(at: at, holdings: [holding], grants: [], catalogue: catalogue(minimum))
    }

    @Test(
        "A chain gives access at or above the minimum trust; every chain has its states",
        arguments: Catalogue.MinimumTrust.allCases, Trust.allCases)
    func levels(minimum: Catalogue.MinimumTrust, trust: Trust) throws {
        let enough: [Catalogue.MinimumTrust: [Trust]] = [
            .signed: [.signed, .xcode], .transport: [.signed, .transport, .xcode],
            .secret: [.signed, .transport, .secret, .xcode],
        ]
        let isEnough = try #require(enough[minimum]).contains(trust)
        let facts = [bought(trust)]
        let answer = try #require(life(facts, minimum).answer(day(1)))
        #expect(answer.state == .subscribed && answer.trust == trust)
        #expect(answer.isEntitled == isEnough)
        #expect(answer.accessUntil == (isEnough ? day(30) : nil))
        let found = asked(facts, minimum, at: day(1))
        let verdict = try #require(found.verdicts.first)
        #expect(verdict.active == isEnough && verdict.basis == (isEnough ? .period : nil))
        // It is shown with its state and trust.
        #expect(verdict.state == .subscribed && verdict.until == day(30))
        #expect(verdict.trust == trust)
        #expect(found.standing == (isEnough ? .active : .inactive))
    }

    @Test("The default minimum is transport")
    func byDefault() {
        #expect(Catalogue().minimumTrust == .transport)
    }

    @Test(
        "Lower-rank updates of a chain with better evidence count",
        arguments: [
            (Trust.signed, Trust.secret, Catalogue.MinimumTrust.signed),
            (.signed, .transport, .signed),
            (.transport, .secret, .transport), (.signed, .secret, .transport),
        ])
    func news(known: Trust, news: Trust, minimum: Catalogue.MinimumTrust) throws {
        let renewed = Fact.didRenew("2", day(30), day(60)).token("ann").trusted(news)
        let facts = [bought(known), renewed]
        let answer = try #require(life(facts, minimum).answer(day(31)))
        #expect(answer.state == .renewing && answer.isEntitled && answer.trust == news)
        #expect(answer.accessUntil == day(60))
        #expect(try #require(asked(facts, minimum, at: day(31)).verdicts.first).active)
        // Without the better evidence they give no access.
        #expect(life([renewed], minimum).answer(day(31))?.isEntitled == false)
    }

    @Test("A status, or any other usable fact of that rank, suffices; an unusable one does not")
    func known() {
        let reported = bought(.secret)
        #expect(
            life([reported, .status(.active, at: day(2))], .signed).answer(day(3))?.isEntitled
                == true)
        let broken = Fact.reported(.transaction, at: day(2)).with { $0.flaw = .undecodable }
        #expect(life([reported, broken], .transport).answer(day(3))?.isEntitled == false)
    }

    @Test("No leeway after an end stated only at rank secret")
    func leeway() throws {
        let facts = [bought(.secret).renewal { $0.autoRenewStatus = Raw(.on) }]
        let at = day(30, minute)
        #expect(asked(facts, .secret, at: at).verdicts.first?.basis == .leeway)
        let verdict = try #require(asked(facts, .transport, at: at).verdicts.first)
        #expect(!verdict.active && verdict.basis == nil && verdict.state == .expired)
    }

    @Test("A one-time purchase is owned, but gives no access")
    func oneTime() throws {
        let facts = [
            bought(.secret).transaction {
                $0.type = Raw(.nonConsumable)
                $0.expiresDate = nil
            }
        ]
        #expect(life(facts, .transport).answer(day(1))?.state == .owned)
        #expect(asked(facts, .transport, at: day(1)).verdicts.first?.active == false)
        #expect(asked(facts, .secret, at: day(1)).verdicts.first?.active == true)
    }
}
