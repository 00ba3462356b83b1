import AppStore
import LedgerTestSupport
import Simulator
import Testing

@testable import Console
@testable import Ledger
@testable import Queries

@Suite("Reasons and purchases on a customer's page")
struct CustomerPageTests {
    private static let ann = CustomerId("ann")
    private static let bob = CustomerId("bob")
    private let made = MadeChain()

    /// A time in a period, five days after its start.
    private func within(_ period: Int) -> Timestamp {
        made.start(period).advanced(byMilliseconds: 5 * 86_400_000)
    }

    /// Ended by the customer, then bought again and ended by a failed payment.
    private func endedTwice(as product: String) -> [MadeDelivery] {
        var again = made
        again.product = product
        let bought = again.notification(
            .subscribed, .resubscribe, 2, at: made.start(2).advanced(byMilliseconds: 3_000))
        let failed = again.notification(
            .expired, .billingRetry, 2, at: made.start(3).advanced(byMilliseconds: 30_000),
            status: .expired)
        let second = [bought, failed].map { delivery in
            delivery.withTransaction { $0.transactionReason = Raw(.purchase) }
        }
        return [made.bought(), made.turnedOff(0), made.expired(0)] + second
    }

    @Test("An end that another product of the chain follows is explained by that product")
    func earlierEnd() throws {
        let other = "com.example.pro.yearly"
        let reading = try CustomerPageTests.reading(
            made, endedTwice(as: other), [(.link(CustomerPageTests.ann), made.start)],
            at: within(4))
        #expect(reading.answer.endReason == .billing)
        let reasons = CustomerPageTests.reasons(CustomerPageTests.ann, reading)
        #expect(reasons[MadeChain.product] == .changedProduct && reasons[other] == .billing)
        let page = CustomerPageTests.page([reading]).page.html
        #expect(page.contains("\"changedProduct\"") && page.contains("\"billing\""))
        // What to do about either is to subscribe again.
        let advice = AccessReason.changedProduct.advice(of: reading)
        #expect(advice == AccessReason.billing.advice(of: reading) && page.contains(advice))
    }

    @Test("What a purchase's notices warn of stands below one of its answers")
    func warnedOnce() throws {
        let deliveries = endedTwice(as: "com.example.pro.yearly").dropLast()
        let reading = try CustomerPageTests.reading(
            made, Array(deliveries), [(.link(CustomerPageTests.ann), made.start)], at: within(5))
        #expect(!reading.answer.notices.isEmpty)
        let page = CustomerPageTests.page([reading]).page.html
        #expect(page.components(of: "data-reason=") == 2)
        #expect(page.components(of: "class=\"caveats\"") == 1)
    }

    @Test("A purchase that was linked away after its end explains nothing to its former holder")
    func endOfFormerHolder() throws {
        let links: [(Command.Action, Timestamp)] = [
            (.link(CustomerPageTests.ann), made.start), (.link(CustomerPageTests.bob), within(1)),
        ]
        let reading = try CustomerPageTests.reading(
            made, endedTwice(as: MadeChain.product), links, at: within(4))
        for (customer, expected) in [
            (CustomerPageTests.ann, AccessReason.movedOn), (CustomerPageTests.bob, .billing),
        ] {
            let reasons = CustomerPageTests.reasons(customer, reading)
            #expect(reasons[MadeChain.product] == expected, "\(customer)")
        }
    }

    @Test("A purchase that was unlinked belongs to another customer only once it is linked again")
    func unlinked() throws {
        var decisions: [(Command.Action, Timestamp)] = [
            (.link(CustomerPageTests.ann), made.start), (.unlink(CustomerPageTests.ann), within(0)),
        ]
        let moment = made.start(0).advanced(byMilliseconds: 20 * 86_400_000)
        let unheld = try CustomerPageTests.reading(made, [made.bought()], decisions, at: moment)
        let shown = CustomerPageTests.page([unheld])
        let page = shown.page.html
        #expect(page.contains("class=\"verdict no\" data-reason=\"unlinked\""))
        // The decision is among the events that it rests on.
        let remark: HTML = "\(shown.frame.events([3])): linked or unlinked by an operator)"
        #expect(page.contains(remark.text))
        #expect(page.contains(AccessReason.unlinked.cause) && !page.contains("another customer"))
        decisions.append(
            (.link(CustomerPageTests.bob), within(0).advanced(byMilliseconds: 86_400_000)))
        let relinked = try CustomerPageTests.reading(made, [made.bought()], decisions, at: moment)
        let reasons = CustomerPageTests.reasons(CustomerPageTests.ann, relinked)
        #expect(reasons[MadeChain.product] == .movedOn)
        let moved = CustomerPageTests.page([relinked])
        let link: HTML = "\(moved.frame.events([4])): linked or unlinked by an operator)"
        #expect(moved.page.html.contains(link.text))
    }

    @Test("The page says `contact us` only where the customer's own claim was undone")
    func claimUndone() throws {
        let (ann, bob) = (CustomerPageTests.ann, CustomerPageTests.bob)
        let cases: [(decisions: [Command.Action], ann: AccessReason, bob: AccessReason?)] = [
            ([.unlink(ann)], .claimUndone, nil),
            ([.link(bob), .unlink(bob)], .unlinked, .unlinked),
            // Both lose it to a third customer; then only Ann claims it again.
            (
                [
                    .claim(bob, policy: .share), .link(CustomerId("cat")),
                    .unlink(CustomerId("cat")), .claim(ann, policy: .share), .unlink(ann),
                ], .claimUndone, .unlinked
            ),
        ]
        let moment = made.start.advanced(byMilliseconds: 20 * 86_400_000)
        for (decisions, annReason, bobReason) in cases {
            let all: [Command.Action] = [.claim(ann, policy: .transfer)] + decisions
            let dated = all.enumerated().map { index, decision in
                (decision, made.start.advanced(byMilliseconds: Int64(index) * 86_400_000))
            }
            let reading = try CustomerPageTests.reading(made, [made.bought()], dated, at: moment)
            #expect(CustomerPageTests.reasons(ann, reading)[MadeChain.product] == annReason)
            #expect(CustomerPageTests.reasons(bob, reading)[MadeChain.product] == bobReason)
        }
    }

    @Test("An answer that rests on a claim says so, as one that rests on a link does")
    func claimed() throws {
        let cases: [(Command.Action, words: String)] = [
            (.claim(CustomerPageTests.ann, policy: .transfer), "claimed by an upload"),
            (.link(CustomerPageTests.ann), "linked or unlinked by an operator"),
        ]
        for (decision, words) in cases {
            // given
            let reading = try CustomerPageTests.reading(
                made, [made.bought()], [(decision, made.start)], at: within(0))
            // when
            let page = CustomerPageTests.page([reading])
            // then
            let remark: HTML = "(\(page.frame.events([2])): \(words))"
            #expect(page.page.html.contains(remark.text), "\(words)")
        }
    }

    @Test("A customer was last heard of at the last arrival that is known")
    func lastHeard() throws {
        for isKnown in [true, false] {
            // given
            let reading = try CustomerPageTests.reading(
                made, [made.bought(), made.renewed(1)],
                [(.link(CustomerPageTests.ann), made.start)], at: within(1), isLastKnown: isKnown)
            // when
            let page = CustomerPageTests.page([reading])
            // then
            let last = reading.facts[isKnown ? 2 : 1]?.receivedAt
            let heard: HTML = "; last heard \(page.frame.time(last))"
            #expect(page.page.html.contains(heard.text), "\(isKnown)")
        }
    }

    @Test("The form of an unlink says who holds the purchase afterwards")
    func unlinkForm() throws {
        let (ann, bob) = (CustomerPageTests.ann, CustomerPageTests.bob)
        let own = MadeChain(appAccountToken: "0ab11111-2222-4333-8444-555555555555")
        let shared: [Command.Action] = [
            .claim(ann, policy: .share), .claim(bob, policy: .share),
        ]
        let cases: [(chain: MadeChain, decisions: [Command.Action], holders: [CustomerId])] = [
            (made, [.link(ann)], []), (made, shared, [bob]),
            // The token alone names its customer.
            (own, Array(shared.prefix(1)), []),
            (own, shared, [CustomerId("0ab11111-2222-4333-8444-555555555555"), bob]),
        ]
        for (chain, decisions, holders) in cases {
            let dated = decisions.enumerated().map { index, decision in
                (decision, chain.start.advanced(byMilliseconds: Int64(index + 1) * 86_400_000))
            }
            let reading = try CustomerPageTests.reading(
                chain, [chain.bought()], dated, at: within(0))
            let frame = Frame.bare(["customers", "ann", "unlink"], now: reading.moment.now)
            let answer = EntitlementsAnswer(
                customer: ann, stamp: reading.stamp,
                entitlements: CustomerPageTests.entitlements(
                    ann, [reading], at: reading.moment.at))
            let page = ActPage(frame, .unlink).page(customer: answer, chain: reading).html
            let names: HTML =
                holders.isEmpty
                ? "the customer of its appAccountToken, if any"
                : holders.map { frame.customer($0) }.joined(", ")
            let after: HTML = "<h2>After</h2><p>The purchase belongs to \(names).</p>"
            #expect(page.contains(after.text), "\(holders)")
        }
    }

    @Test("A purchase whose upgrade another account bought is that customer's")
    func upgradedByAnother() throws {
        let token = "0ab11111-2222-4333-8444-555555555555"
        let own = MadeChain(appAccountToken: token)
        for (buyer, expected) in [
            ("f3a86f0d-52be-4c53-8f0e-7d9b1c44d033", AccessReason.movedOn),
            (token, .changedProduct),
        ] {
            var other = own
            (other.product, other.appAccountToken) = ("com.example.pro.yearly", buyer)
            let upgrade = other.notification(
                .didChangeRenewalPref, .upgrade, 1,
                at: own.start(1).advanced(byMilliseconds: 3_000))
            let reading = try CustomerPageTests.reading(
                own, [own.bought(), upgrade], [], at: within(1))
            let reasons = CustomerPageTests.reasons(CustomerId(token), reading)
            #expect(reasons[MadeChain.product] == expected, "\(buyer)")
        }
    }

    @Test("Access ended with the period whose renewal failed, not when Apple gave up")
    func endedByFailure() throws {
        let failed = made.notification(
            .didFailToRenew, nil, 0, at: made.start(1).advanced(byMilliseconds: 5_000),
            status: .billingRetry)
        let expired = made.notification(
            .expired, .billingRetry, 0, at: made.start(2), status: .expired)
        let reading = try CustomerPageTests.reading(
            made, [made.bought(), failed, expired],
            [(.link(CustomerPageTests.ann), made.start)], at: made.start(3))
        let page = CustomerPageTests.page([reading])
        let since: HTML = "</b> since \(page.frame.time(made.start(1))): "
        #expect(page.page.html.contains(since.text))
    }

    @Test("A purchase linked away is named whether or not the customer has another")
    func elsewhere() throws {
        func linked(_ id: String, _ customer: CustomerId) throws -> ChainReading {
            let made = MadeChain(id: id)
            return try CustomerPageTests.reading(
                made, [made.bought()], [(.link(customer), made.start)], at: within(0))
        }
        let away = try linked("500000000000002", CustomerPageTests.bob)
        let held = try linked("500000000000001", CustomerPageTests.ann)
        for own in [[], [held]] {
            let page = CustomerPageTests.page(own, elsewhere: [away], at: away).page.html
            #expect(page.contains("named this customer and belongs to"))
            #expect(page.contains("✓ <b>Access to") == !own.isEmpty)
            let standing = own.isEmpty ? "new" : "active"
            #expect(page.contains("<dt>Standing</dt><dd>\(standing)</dd>"))
        }
    }

    @Test("Of many purchases, those that give access are shown first, then the newest")
    func order() throws {
        let running = MadeChain(id: "200000000000001")
        let renewed = [running.bought(), running.renewed(1)]
        let ended = (0..<CustomerPage.chainCount + 1).map { number in
            MadeChain(
                id: String(410_000_000_000_000 + number),
                start: made.start.advanced(byMilliseconds: -Int64(number) * 1_000))
        }
        let link = [(Command.Action.link(CustomerPageTests.ann), made.start)]
        let chains =
            try [CustomerPageTests.reading(running, renewed, link, at: within(1))]
            + ended.map { chain in
                try CustomerPageTests.reading(
                    chain, [chain.bought(), chain.expired(0)], link, at: within(1))
            }
        let page = CustomerPageTests.page(chains).page.html
        let cards = page.split(separator: "<section class=\"card\"").dropFirst()
        #expect(cards.count == CustomerPage.chainCount)
        #expect(cards.first?.contains(running.id) == true)
        for (card, chain) in zip(cards.dropFirst(), ended) {
            #expect(card.contains(chain.id), "\(chain.id)")
        }
        #expect(page.contains("2 further chains are in the timeline"))
    }

    // MARK: Readings

    static func reading(
        _ made: MadeChain, _ deliveries: [MadeDelivery],
        _ decisions: [(Command.Action, Timestamp)], at now: Timestamp, isLastKnown: Bool = true
    ) throws -> ChainReading {
        var facts: [Fact] = []
        for delivery in deliveries {
            guard
                case .notification(let notification, let transaction, let renewal) =
                    delivery.evidence
            else { continue }
            facts.append(
                Fact(
                    notification: notification, transaction: transaction, renewal: renewal,
                    origin: FactOrigin(
                        position: Int64(facts.count + 1), receivedAt: delivery.receivedAt,
                        trust: .signed, digest: digest(facts.count + 1))))
        }
        facts[facts.count - 1].isArrivalKnown = isLastKnown
        for (action, time) in decisions {
            let position = facts.count + 1
            facts.append(
                Fact(
                    position: Int64(position), receivedAt: time, trust: .operator,
                    cause: Cause(kind: .command), signedDate: nil, digest: digest(position),
                    command: Command(
                        id: "\(position)", actor: "sara", reason: "a ticket", action: action)))
        }
        let moment = Moment(at: nil, now: now)
        return try #require(
            ChainReading(
                chain: ChainId(
                    bundleId: BundleId(made.bundleId),
                    originalTransactionId: OriginalTransactionId(made.id)),
                facts: facts, moment: moment, environment: .production, catalogue: Catalogue(),
                stamp: AnswerStamp(
                    moment, position: Int64(facts.count), catalogueHash: digest(0))))
    }

    private static func digest(_ number: Int) -> Digest {
        Digest(words: (UInt64(number), 0, 0, 0))
    }

    private static func entitlements(
        _ customer: CustomerId, _ chains: [ChainReading], at moment: Timestamp
    ) -> Entitlements {
        Entitlements(
            at: moment,
            holdings: chains.map { $0.life.holding(of: customer, chain: $0.chain) },
            grants: [], catalogue: Catalogue())
    }

    /// The reason of each verdict about a chain, by product.
    static func reasons(
        _ customer: CustomerId, _ reading: ChainReading
    ) -> [String: AccessReason] {
        let moment = reading.moment.at
        let verdicts = entitlements(customer, [reading], at: moment).verdicts
        return Dictionary(
            uniqueKeysWithValues: verdicts.map {
                ($0.entitlement, AccessReason($0, of: customer, reading, at: moment))
            })
    }

    /// Ann's page.
    ///
    /// - Parameter stamped: a reading of the page's moment; nil: the first of `chains`.
    static func page(
        _ chains: [ChainReading], elsewhere: [ChainReading] = [], at stamped: ChainReading? = nil
    ) -> CustomerPage {
        let first = stamped ?? chains[0]
        let (moment, stamp) = (first.moment, first.stamp)
        return CustomerPage(
            Frame.bare(["customers", "ann"], now: moment.now),
            EntitlementsAnswer(
                customer: ann, stamp: stamp,
                entitlements: entitlements(ann, chains, at: moment.at)),
            CustomerReading(
                customer: ann, moment: moment, stamp: stamp, chains: chains,
                elsewhere: elsewhere, commands: []), before: nil)
    }
}
