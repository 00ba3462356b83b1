import AppStore
import LedgerTestSupport
import Simulator
import Testing

@testable import Console
@testable import Ledger
@testable import Queries

@Suite("Verdicts of products that the chain or the customer left, and their place on the page")
struct SupersededVerdictTests {
    private static let ann = CustomerId("ann")
    private static let bob = CustomerId("bob")
    private static let yearly = "com.example.pro.yearly"
    private let made = MadeChain()

    /// A time in a period, five days after its start.
    private func within(_ period: Int) -> Timestamp {
        made.start(period).advanced(byMilliseconds: 5 * 86_400_000)
    }

    /// The yearly product, bought in the third period and running then.
    private var yearlyBought: MadeDelivery {
        var yearly = made
        yearly.product = SupersededVerdictTests.yearly
        return yearly.notification(
            .subscribed, .resubscribe, 2, at: made.start(2).advanced(byMilliseconds: 3_000)
        ).withTransaction { $0.transactionReason = Raw(.purchase) }
    }

    /// The payment for the second period failed, until Apple stopped trying.
    private var unpaid: [MadeDelivery] {
        [
            made.bought(),
            made.notification(
                .didFailToRenew, nil, 0, at: made.start(1).advanced(byMilliseconds: 5_000),
                status: .billingRetry),
            made.notification(
                .expired, .billingRetry, 0, at: made.start(1).advanced(byMilliseconds: 86_400_000),
                status: .expired),
        ]
    }

    private func reading(
        _ deliveries: [MadeDelivery], _ decisions: [(Command.Action, Timestamp)]? = nil,
        at period: Int
    ) throws -> ChainReading {
        try CustomerPageTests.reading(
            made, deliveries, decisions ?? [(.link(SupersededVerdictTests.ann), made.start)],
            at: within(period))
    }

    @Test("No end of a product is given as a reason once another product followed")
    func ends() throws {
        func shared(_ delivery: MadeDelivery) -> MadeDelivery {
            delivery.withTransaction { $0.inAppOwnershipType = Raw(.familyShared) }
        }
        let withdrawn = shared(made.notification(.revoke, nil, 0, at: within(0), status: .revoked))
            .withTransaction {
                $0.revocationDate = $0.purchaseDate?.advanced(byMilliseconds: 1_000)
            }
        let cases: [(ended: [MadeDelivery], next: MadeDelivery, AccessReason)] = [
            (unpaid, yearlyBought, .billing),
            ([made.bought(), made.turnedOff(0), made.expired(0)], yearlyBought, .voluntary),
            ([shared(made.bought()), withdrawn], shared(yearlyBought), .familyRevoke),
        ]
        for (ended, next, own) in cases {
            // given
            let before = try reading(ended, at: 1)
            let after = try reading(ended + [next], at: 2)
            // when
            let reason = CustomerPageTests.reasons(SupersededVerdictTests.ann, after)
            // then
            let first = CustomerPageTests.reasons(SupersededVerdictTests.ann, before)
            #expect(first[MadeChain.product] == own)
            #expect(reason[MadeChain.product] == .changedProduct && after.givesAccess)
            let page = CustomerPageTests.page([after]).page.html
            #expect(!page.contains(own.cause) && !page.contains(own.advice(of: after)))
        }
    }

    @Test("In every state, a stretch that is over has what followed as its reason")
    func states() throws {
        let (ann, bob) = (SupersededVerdictTests.ann, SupersededVerdictTests.bob)
        let reading = try reading(
            unpaid + [yearlyBought],
            [
                (.link(ann), made.start), (.link(bob), within(1)),
                (.link(ann), made.start(2)),
            ], at: 2)
        for state in ChainState.allCases {
            func reason(_ customer: CustomerId, until: Timestamp) -> AccessReason {
                let verdict = Verdict(
                    entitlement: "pro", active: false, basis: nil, state: state,
                    productId: ProductId(MadeChain.product), since: made.start, until: until,
                    originalTransactionId: nil, trust: .signed, evidence: [])
                return AccessReason(verdict, of: customer, reading, at: reading.moment.at)
            }
            #expect(reason(ann, until: made.start(2)) == .changedProduct)
            // Lost, and held again with another product.
            #expect(reason(ann, until: within(1)) == .changedProduct)
            #expect(reason(bob, until: made.start(2)) == .movedOn)
            let open = reason(ann, until: within(3))
            #expect(open != .changedProduct && open != .movedOn)
        }
    }

    @Test("After a link that was a mistake, another person's payment is not the reason")
    func mistakenLink() throws {
        let bob = SupersededVerdictTests.bob
        let reading = try reading(
            unpaid, [(.link(bob), made.start), (.unlink(bob), within(2))], at: 3)
        let reasons = CustomerPageTests.reasons(bob, reading)
        #expect(reasons[MadeChain.product] == .unlinked)
    }

    @Test("Where the other product gives no access, either, subscribing again is what to do")
    func advice() throws {
        for ownership in [InAppOwnershipType.purchased, .familyShared, .assigned] {
            for (days, isOver) in [(1, false), (31, true)] as [(Int64, Bool)] {
                // given
                let reading = try AccessReasonTests.bought(
                    after: days * 86_400_000, { $0.autoRenewStatus = Raw(.off) },
                    { $0.inAppOwnershipType = Raw(ownership) })
                #expect(reading.givesAccess != isOver)
                // when
                let advice = AccessReason.changedProduct.advice(of: reading)
                // then
                #expect(advice.contains("change plans") != isOver)
                #expect(advice.contains("subscribe again") == isOver)
                let isCopy = ownership != .purchased
                #expect(advice.contains("You can subscribe again") == (isOver && !isCopy))
                #expect(advice.contains("ask the ") == (isOver && isCopy))
            }
        }
    }

    // MARK: The page

    /// The products of a page's verdicts, in order, with what each section says.
    private static func sections(_ page: CustomerPage) -> [(product: String, text: String)] {
        let parts = page.page.html.split(separator: "<section class=\"verdict ").dropFirst()
        return parts.map { text in
            let name = text.split(separator: "ccess to ").dropFirst().first ?? ""
            return (String(name.prefix { $0 != "<" }), String(text))
        }
    }

    @Test("Access comes first, then the newest end, then by name; what went on comes last")
    func order() throws {
        func ended(_ id: String, _ product: String, _ period: Int) throws -> ChainReading {
            var chain = made
            (chain.id, chain.product) = (id, product)
            let renewals = (0...period).dropFirst().map { chain.renewed($0) }
            return try CustomerPageTests.reading(
                chain,
                [chain.bought()] + renewals + [chain.turnedOff(period), chain.expired(period)],
                [(.link(SupersededVerdictTests.ann), chain.start)], at: within(2))
        }
        let changed = try reading(
            [made.bought(), made.turnedOff(0), made.expired(0), yearlyBought], at: 2)
        // when
        let page = CustomerPageTests.page([
            changed, try ended("500000000000002", "com.example.a", 0),
            try ended("500000000000003", "com.example.z", 1),
            try ended("500000000000004", "com.example.y", 1),
        ])
        // then
        #expect(
            SupersededVerdictTests.sections(page).map(\.product) == [
                SupersededVerdictTests.yearly, "com.example.y", "com.example.z", "com.example.a",
                MadeChain.product,
            ])
    }

    /// The time at which the sentence about the monthly product says that access ended, with the
    /// time of a later change that is the reason.
    private func expectTimes(
        _ reading: ChainReading, _ reason: AccessReason, ended: Timestamp, changed: Timestamp?
    ) throws {
        let page = CustomerPageTests.page([reading])
        let text = try #require(
            SupersededVerdictTests.sections(page).first { $0.product == MadeChain.product }?.text)
        let later: HTML = changed.map { "; this came later, on \(page.frame.time($0))" } ?? ""
        let sentence: HTML = "since \(page.frame.time(ended)): \(reason.cause)\(later).</p>"
        #expect(text.contains(sentence.text), "\(text)")
    }

    @Test("A change after the end of access that is the reason has its own time in the sentence")
    func times() throws {
        let (ann, bob) = (SupersededVerdictTests.ann, SupersededVerdictTests.bob)
        let link: (Command.Action, Timestamp) = (.link(ann), made.start)
        // Ended by a failed payment, then bought as another product.
        try expectTimes(
            try reading(unpaid + [yearlyBought], at: 2), .changedProduct, ended: made.start(1),
            changed: made.start(2))
        // Then removed from the customer, by unlinking and to another one.
        for (decision, reason) in [(.unlink(ann), .unlinked), (.link(bob), .movedOn)]
            as [(Command.Action, AccessReason)]
        {
            try expectTimes(
                try reading(unpaid, [link, (decision, within(2))], at: 3), reason,
                ended: made.start(1), changed: within(2))
            // Another product followed before that.
            try expectTimes(
                try reading(unpaid + [yearlyBought], [link, (decision, within(2))], at: 3), reason,
                ended: made.start(1), changed: within(2))
            // While it gave access.
            try expectTimes(
                try reading([made.bought()], [link, (decision, within(0))], at: 0), reason,
                ended: within(0), changed: nil)
        }
        // Refunded after its end, and in its time.
        for (bought, period) in [
            ([made.bought(), made.turnedOff(0), made.expired(0)], 1), ([made.bought()], 0),
        ] {
            let refund = made.notification(.refund, nil, 0, at: within(period), status: .revoked)
                .withTransaction { $0.revocationDate = $0.signedDate }
            try expectTimes(
                try reading(bought + [refund], at: 2), .refund,
                ended: period == 0 ? within(0) : made.start(1),
                changed: period == 0 ? nil : within(1))
        }
    }

    @Test("A notice stands below the product it concerns, not below the purchase's first answer")
    func warnings() throws {
        // An end that nothing announced.
        let reading = try reading([made.bought(), made.expired(0), yearlyBought], at: 2)
        #expect(reading.answer.notices.contains { $0.code == .unexplainedExpiry })
        // when
        let sections = SupersededVerdictTests.sections(CustomerPageTests.page([reading]))
        // then
        let warned = sections.filter { $0.text.contains("It expired, and the event") }
        #expect(sections.count == 2 && warned.map(\.product) == [MadeChain.product])
    }
}
