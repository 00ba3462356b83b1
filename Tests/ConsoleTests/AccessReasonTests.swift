import AppStore
import LedgerTestSupport
import Projection
import Simulator
import TestSupport
import Testing

@testable import Console
@testable import Ledger
@testable import Queries

@Suite("Why a customer has access or not")
struct AccessReasonTests {
    private static let ann = CustomerId("ann")

    @Test("Every end has its reason, and every reason a cause and an advice, in plain sentences")
    func table() {
        let reasons = AccessReason.allCases
        #expect(Set(reasons.map(\.cause)).count == reasons.count)
        for reason in reasons {
            #expect(
                !reason.cause.hasSuffix(".") && reason.cause.first?.isLowercase ?? false
                    || reason.cause.hasPrefix("Apple"))
            #expect(reason.advice(of: nil).hasSuffix("."))
        }
        let caveats = NoticeCode.allCases.map { AccessReasonTests.notice($0, $0.rawValue).caveat }
        #expect(Set(caveats).count == NoticeCode.allCases.count)
        let ends = EndReason.allCases.map { AccessReason($0) }
        #expect(Set(ends).count == EndReason.allCases.count)
    }

    private static func notice(_ code: NoticeCode, _ message: String) -> Notice {
        Notice(
            code: code, message: message, from: StoryCheck.end, to: nil, evidence: [1],
            period: nil)
    }

    @Test("Every basis of access, and every state without it, has a reason")
    func matrix() {
        let now = StoryCheck.end
        func reason(
            _ state: ChainState?, _ basis: Verdict.Basis? = nil, until: Timestamp? = nil
        ) -> AccessReason {
            let verdict = Verdict(
                entitlement: "pro", active: basis != nil, basis: basis, state: state,
                productId: nil, since: Timestamp(milliseconds: 0), until: until,
                originalTransactionId: nil, trust: .signed, evidence: [])
            return AccessReason(verdict, of: AccessReasonTests.ann, nil, at: now)
        }
        let given: [AccessReason] = [.paid, .grace, .leeway, .owned, .granted]
        #expect(Verdict.Basis.allCases.map { reason(.renewing, $0) } == given)
        let withheld: [AccessReason] = [
            .lowTrust, .lowTrust, .lowTrust, .billingRetry, .unconfirmed, .refund, .lowTrust,
            .lapsed, .consumed,
        ]
        #expect(ChainState.allCases.map { reason($0) } == withheld)
        let later = now.advanced(byMilliseconds: 1)
        #expect(ChainState.allCases.map { reason($0, until: later) } == withheld)
        #expect(reason(nil) == .grantEnded)
    }

    @Test("Every state and reason of every story is explained", arguments: StoryTelling.names)
    func story(_ name: String) async throws {
        let story = try StoryTelling.story(name)
        let lines = try story.deliveries.map { try $0.line(signedBy: TestAuthority.shared) }
        let isShown = StoryTelling.names.firstIndex(of: name)?.isMultiple(of: 3) == true
        try await Gate.ledgers.pass {
            var telling = try await StoryTelling(story)
            try await telling.take(lines)
            try await telling.session { session in
                var cursor: ChainCursor?
                let end = Moment(at: StoryCheck.end, now: StoryCheck.end)
                while let reading = try await session.snapshot.next(after: &cursor, moment: end) {
                    let id = reading.chain.originalTransactionId.rawValue
                    // In soak the pages of all moments; else, of one story in three, one page for
                    // each state and reason.
                    var shown: Set<[String]> = []
                    AccessReasonTests.checkChanges(reading)
                    for transition in reading.transitions {
                        let then = try await session.snapshot.reading(
                            id, bundleId: reading.chain.bundleId,
                            moment: Moment(at: transition.at, now: StoryCheck.end))
                        AccessReasonTests.check(then)
                        let kind = ["\(transition.to)", transition.reason.map { "\($0)" } ?? ""]
                        guard isShown && shown.insert(kind).inserted || Soak.isOn else { continue }
                        try SubscriptionPageCheck.check(then)
                    }
                }
            }
            await telling.scratch.remove()
        }
    }

    @Test("A paid period renews by itself unless a consent, the commitment or the customer ends it")
    func renewals() throws {
        func commitment(_ status: AutoRenewStatus) -> RenewalCommitmentInfo {
            var info = RenewalCommitmentInfo()
            info.commitmentAutoRenewStatus = Raw(status)
            info.commitmentAutoRenewProductId = ProductId("pro.committed")
            return info
        }
        let cases: [(AccessReason, (inout RenewalPayload) -> Void)] = [
            (.renews, { _ in }),
            (.awaitsConsent, { $0.priceIncreaseStatus = Raw(.customerHasNotResponded) }),
            (
                .renews,
                {
                    $0.priceIncreaseStatus = Raw(
                        .customerConsentedOrWasNotifiedWithoutNeedingConsent)
                }
            ),
            (.endsWithCommitment, { $0.commitmentInfo = commitment(.off) }),
            (.renews, { $0.commitmentInfo = commitment(.on) }),
            (.changes, { $0.autoRenewProductId = ProductId("pro.weekly") }),
            (.endsAtPeriod, { $0.autoRenewStatus = Raw(.off) }),
            (.paid, { $0.autoRenewStatus = nil }),
        ]
        for (expected, change) in cases {
            let reading = try AccessReasonTests.bought(change)
            let verdict = AccessReasonTests.verdict(reading)
            let reason = AccessReason(
                verdict, of: AccessReasonTests.ann, reading, at: reading.moment.at)
            #expect(reason == expected)
            AccessReasonTests.check(reading)
            try SubscriptionPageCheck.check(reading)
            let frame = Frame.bare(["subscriptions", "1"], now: reading.moment.now)
            let page = SubscriptionPage(frame, reading, before: nil).page.html
            #expect(page.contains("billing period 1 of 12, 119.88 USD in all"))
            #expect(page.contains("as another product, pro.weekly.") == (expected == .changes))
        }
    }

    @Test("A revocation has what Apple states of it: the type, the share of the price, the reason")
    func revocation() throws {
        let refunded = { (transaction: inout TransactionPayload) in
            transaction.revocationDate = MadeChain().start.advanced(byMilliseconds: 3_600_000)
            transaction.revocationType = Raw(.refundProrated)
            transaction.revocationPercentage = 33_333
            transaction.revocationReason = Raw(.refundedDueToIssue)
        }
        let reading = try AccessReasonTests.bought({ _ in }, refunded)
        let frame = Frame.bare(["subscriptions", "1"], now: reading.moment.now)
        let page = SubscriptionPage(frame, reading, before: nil).page.html
        #expect(page.contains("(REFUND_PRORATED, 33.333 %, reason 1)</dd>"))
    }

    @Test("A trial is free, and what follows it is said")
    func trials() throws {
        let cases: [(AccessReason, (inout RenewalPayload) -> Void)] = [
            (.trialRenews, { _ in }),
            (.trialChanges, { $0.autoRenewProductId = ProductId("pro.weekly") }),
            (.trialEnds, { $0.autoRenewStatus = Raw(.off) }),
            (.trial, { $0.autoRenewStatus = nil }),
        ]
        for (expected, change) in cases {
            let reading = try AccessReasonTests.bought(change) {
                $0.offerType = Raw(.introductoryOffer)
                $0.offerDiscountType = Raw(.freeTrial)
                $0.price = 0
            }
            #expect(AccessReason(reading) == expected)
            let advice = expected.advice(of: reading)
            #expect(expected.cause.contains("free") && advice.contains("free"))
            AccessReasonTests.check(reading)
        }
    }

    @Test("A non-renewing purchase is for a time, also where the catalogue does not give it")
    func nonRenewing() throws {
        let cases: [(ProductType, String?, AccessReason)] = [
            (.nonConsumable, nil, .owned), (.nonRenewingSubscription, nil, .unknownDuration),
            (.nonRenewingSubscription, "P30D", .boughtForTime),
        ]
        for (type, duration, expected) in cases {
            var catalogue = Catalogue()
            catalogue.products[ProductId(MadeChain.product)] = Catalogue.Product(
                duration: try duration.map { try #require(ISO8601Period($0)) })
            let once = { (transaction: inout TransactionPayload) in
                transaction.type = Raw(type)
                transaction.expiresDate = nil
            }
            let reading = try AccessReasonTests.bought(catalogue: catalogue, { _ in }, once)
            #expect(AccessReason(reading) == expected)
            let page = AccessReasonTests.explained(reading)
            #expect(page.contains(expected.cause))
            let unknown = "The catalogue gives no duration"
            #expect(page.contains(unknown) == (expected == .unknownDuration))
            #expect(!page.contains("value that this version does not know"))
        }
    }

    @Test("While leeway gives access, the subscription's page names it and its end")
    func leeway() throws {
        let made = MadeChain()
        for (late, gives) in [(Int64(3_600_000), true), (2 * 3_600_000, false)] {
            let milliseconds = MadeChain.periodMilliseconds + late
            let reading = try AccessReasonTests.bought(after: milliseconds) { _ in }
            #expect((reading.leeway != nil) == gives && !reading.answer.isEntitled)
            #expect((AccessReason(reading) == .leeway) == gives)
            let frame = Frame.bare(["subscriptions", made.id], now: reading.moment.now)
            let page = SubscriptionPage(frame, reading, before: nil).page.html
            let end = made.start(1).advanced(byMilliseconds: 2 * 3_600_000)
            let access: HTML = "access by leeway until \(frame.time(end))"
            #expect(page.contains(access.text) == gives)
            #expect(page.contains("(no access)") == !gives)
        }
    }

    @Test("A chain below the minimum trust says so on its page")
    func lowTrust() throws {
        let reading = try AccessReasonTests.bought(trust: .secret) { _ in }
        #expect(AccessReason(reading) == .lowTrust)
        try SubscriptionPageCheck.check(reading)
    }

    @Test("Gaps stand above the transition at which they begin, or below the one they precede")
    func gapOrder() throws {
        let reading = try AccessReasonTests.bought(after: 31 * 86_400_000) { _ in }
        let frame = Frame.bare(["subscriptions", "1"], now: reading.moment.now)
        let end = try #require(reading.entries.last?.at)
        func isAbove(_ code: NoticeCode) throws -> Bool {
            var gap = AccessReasonTests.notice(code, "A.")
            gap.from = end
            let slice = reading.page(.newest).map { CustomerReading.Entry.chain($0, reading) }
            let table = TimelineRows(frame: frame, isMerged: false)
                .table(slice, gaps: [(gap, reading)]).text
            let (row, change) = (table.firstRange(of: "Gap:"), table.firstRange(of: "expired"))
            return try #require(row).lowerBound < #require(change).lowerBound
        }
        for (code, expected) in [
            (NoticeCode.renewalOverdue, true), (.missingPeriod, true), (.unexplainedExpiry, false),
        ] {
            let found = try isAbove(code)
            #expect(found == expected, "\(code)")
        }
    }

    @Test("A page whose answer waited for the newest event says that it is included")
    func waited() throws {
        let reading = try AccessReasonTests.bought { _ in }
        for (knowledge, isIncluded) in [(AsOf.everything, true), (AsOf.knownPosition(1), false)] {
            var frame = Frame.bare(["customers", "ann"], now: reading.moment.now)
            frame.state.knowledge = knowledge
            (frame.position, frame.lag) = (0, 1)
            for page in [
                SubscriptionPage(frame, reading, before: nil).page,
                AccessReasonTests.customer(frame, reading).page,
            ] {
                #expect(page.html.contains("1 event is not included yet") == !isIncluded)
                #expect(page.html.contains("<footer>position 1 ") == isIncluded)
            }
        }
    }

    /// The page of a customer who holds the chain, without a verdict.
    private static func customer(_ frame: Frame, _ reading: ChainReading) -> CustomerPage {
        let (moment, stamp) = (reading.moment, reading.stamp)
        return CustomerPage(
            frame,
            EntitlementsAnswer(
                customer: ann, stamp: stamp,
                entitlements: Entitlements(
                    at: moment.at, holdings: [], grants: [], catalogue: Catalogue())),
            CustomerReading(
                customer: ann, moment: moment, stamp: stamp, chains: [reading],
                elsewhere: [], commands: []), before: nil)
    }

    /// What a customer's page says of the chain.
    static func explained(_ reading: ChainReading) -> String {
        let frame = Frame.bare(["customers", "ann"], now: reading.moment.now)
        return customer(frame, reading)
            .explain(
                verdict(reading), AccessReason(reading), reading, 0, reading.answer.notices
            ).text
    }

    /// A first period, by default on its second day, with a renewal info changed.
    static func bought(
        trust: Trust = .signed, after milliseconds: Int64 = 86_400_000,
        catalogue: Catalogue = Catalogue(), _ change: (inout RenewalPayload) -> Void,
        _ changeTransaction: (inout TransactionPayload) -> Void = { _ in }
    ) throws -> ChainReading {
        let made = MadeChain()
        let moment = Moment(at: nil, now: made.start.advanced(byMilliseconds: milliseconds))
        guard
            case .notification(let notification, var transaction?, var renewal?) =
                made.bought().evidence
        else { throw QueryError.noSuchSubscription(made.id) }
        var commitment = TransactionCommitmentInfo()
        (commitment.billingPeriodNumber, commitment.totalBillingPeriods) = (1, 12)
        commitment.commitmentPrice = 119_880
        transaction.commitmentInfo = commitment
        change(&renewal)
        changeTransaction(&transaction)
        let digest = Digest(words: (0, 0, 0, 0))
        let fact = Fact(
            notification: notification, transaction: transaction, renewal: renewal,
            origin: FactOrigin(
                position: 1, receivedAt: made.start, trust: trust, digest: digest))
        return try #require(
            ChainReading(
                chain: ChainId(
                    bundleId: BundleId(MadeChain.app),
                    originalTransactionId: OriginalTransactionId(made.id)),
                facts: [fact], moment: moment, environment: .production, catalogue: catalogue,
                stamp: AnswerStamp(moment, position: 1, catalogueHash: digest)))
    }

    /// What the chain's answer says, as a verdict.
    private static func verdict(_ reading: ChainReading) -> Verdict {
        let answer = reading.answer
        return Verdict(
            entitlement: "pro", active: answer.isEntitled, basis: basis(answer),
            state: answer.state, productId: answer.productId, since: answer.since,
            until: answer.until, originalTransactionId: reading.chain.originalTransactionId,
            trust: answer.trust, evidence: answer.evidence)
    }

    /// The reason agrees with what the chain's answer says, independently read.
    private static func check(_ reading: ChainReading) {
        let answer = reading.answer
        let verdict = verdict(reading)
        let reason = AccessReason(verdict, of: ann, reading, at: reading.moment.at)
        let expected: Set<AccessReason>
        switch (answer.state, answer.isEntitled) {
        case (.subscribed, true), (.renewing, true):
            expected =
                answer.phase == .trial
                ? [.trialRenews, .trialChanges, .trialEnds, .trial, .awaitsConsent]
                : [.renews, .changes, .awaitsConsent, .endsWithCommitment, .endsAtPeriod, .paid]
        case (.grace, true): expected = [.grace]
        case (.owned, true): expected = [.owned, .boughtForTime, .unknownDuration]
        case (.subscribed, false), (.renewing, false), (.grace, false), (.owned, false):
            expected = [.lowTrust]
        case (.billingRetry, _): expected = [.billingRetry]
        case (.consumed, _): expected = [.consumed]
        case (.lapsed, _): expected = [.lapsed]
        case (.revoked, _) where answer.endReason == .other: expected = [.assignmentRevoke]
        case (.revoked, _), (.expired, _):
            expected = answer.endReason.map { [AccessReason($0)] } ?? []
        }
        #expect(expected.contains(reason), "\(answer.state) \(reason)")
        // Both pages say the same of one chain, but for leeway, which this verdict leaves out.
        #expect(AccessReason(reading) == (reading.leeway == nil ? reason : .leeway))
        check(verdict, reason, reading)
    }

    /// Where another product followed, that is why the one before gives no access, whatever its
    /// state was; where the other one gives none, either, the advice is about that one.
    private static func checkChanges(_ reading: ChainReading) {
        let intervals = reading.life.intervals
        for (old, next) in zip(intervals, intervals.dropFirst())
        where old.productId != next.productId {
            var verdict = verdict(reading)
            (verdict.active, verdict.basis) = (false, nil)
            (verdict.state, verdict.productId, verdict.until) = (old.state, old.productId, old.to)
            let reason = AccessReason(verdict, of: ann, reading, at: reading.moment.at)
            #expect(reason == .changedProduct, "\(old.state)")
            let advice = reason.advice(of: reading)
            let now = AccessReason(reading).advice(of: reading)
            #expect(reading.givesAccess ? advice.contains("change plans") : advice == now)
        }
    }

    /// A customer's page says the reason, what to say, and each kind of notice once.
    private static func check(
        _ verdict: Verdict, _ reason: AccessReason, _ reading: ChainReading
    ) {
        let frame = Frame.bare(["customers", "ann"], now: reading.moment.now)
        let page = customer(frame, reading)
        let text = page.explain(verdict, reason, reading, 0, reading.answer.notices).text
        #expect(text.contains("data-reason=\"\(reason.rawValue)\""))
        for sentence in [reason.cause, reason.advice(of: reading)] {
            #expect(text.contains(HTML(escaping: sentence).text), "\(reason)")
        }
        for code in NoticeCode.allCases {
            let here = reading.answer.notices.filter { $0.code == code }
            for caveat in Set((here.isEmpty ? [notice(code, "A.")] : here).map(\.caveat)) {
                let said = text.components(of: "<li>\(frame.timed(caveat).text)")
                #expect(said == (here.isEmpty ? 0 : 1), "\(code)")
            }
        }
    }

    private static func basis(_ answer: ChainAnswer) -> Verdict.Basis? {
        guard answer.isEntitled else { return nil }
        return switch answer.state {
        case .grace: .grace
        case .owned: .owned
        default: .period
        }
    }
}
