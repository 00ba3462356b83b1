import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §4: a notice disappears when the missing evidence is known, and names its
/// subject.
@Suite("§4: explained notices")
struct ExplainedNoticeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))
    private let on = Fact.autoRenew(true, at: day(5))

    private func expect(
        _ codes: [NoticeCode], _ facts: Fact..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectNotices(given([bought, on] + facts), codes, sourceLocation: sourceLocation)
    }

    @Test("A status signed before a refund was stated is no contradiction")
    func statusBeforeRefund() {
        let status = Fact.status(.active, at: day(10))
        func refund(at signedDate: Timestamp) -> Fact {
            Fact.transaction("1", day(0), day(30), at: signedDate).revoked(day(8))
        }
        expect([], status, refund(at: day(12)))
        expect([.contradiction], refund(at: day(9)), status)
    }

    // MARK: unexplainedExpiry

    @Test("No notification precedes a removal from sale: the EXPIRED explains itself")
    func notForSale() {
        expect([], .expired(.productNotForSale, at: day(31)))
        let intent = Fact.expired(nil, at: day(31)).renewal {
            $0.expirationIntent = Raw(.productNotAvailable)
        }
        expect([], intent)
        let other = Fact.expired(nil, at: day(31)).renewal { $0.expirationIntent = Raw(.other) }
        expect([.unexplainedExpiry], other)
    }

    @Test("A pending price increase explains its EXPIRED")
    func priceIncrease() {
        func said(_ status: PriceIncreaseStatus, at signedDate: Timestamp) -> Fact {
            .renewalInfo(at: signedDate) {
                $0.autoRenewStatus = Raw(.on)
                $0.priceIncreaseStatus = Raw(status)
            }
        }
        let expired = Fact.expired(.priceIncrease, at: day(31))
        let asked = said(.customerHasNotResponded, at: day(10))
        let agreed = said(.customerConsentedOrWasNotifiedWithoutNeedingConsent, at: day(11))
        expect([], asked, expired)
        expect([.unexplainedExpiry], expired)
        expect([.unexplainedExpiry], asked, agreed, expired)
        // Stated with the EXPIRED or later, it does not count.
        let with = expired.renewal { $0.priceIncreaseStatus = Raw(.customerHasNotResponded) }
        expect([.unexplainedExpiry], with)
        // It explains no other end.
        expect([.unexplainedExpiry], asked, .expired(.voluntary, at: day(31)))
    }

    @Test("Statements of a lower rank of trust count as seen")
    func lowerRank() {
        let expired = Fact.expired(.billingRetry, at: day(31))
        let off = Fact.autoRenew(false, at: day(20)).trusted(.secret)
        let failed = Fact.didFailToRenew(at: day(30)).trusted(.secret)
        func isRaised(_ facts: Fact...) -> Bool {
            !given([bought, on] + facts).notices(.unexplainedExpiry).isEmpty
        }
        #expect(isRaised(expired))
        #expect(!isRaised(off, expired))
        #expect(!isRaised(failed, expired))
        // Turned on again, or stated afterwards: no explanation.
        #expect(isRaised(off, .autoRenew(true, at: day(21)).trusted(.secret), expired))
        #expect(isRaised(expired, Fact.autoRenew(false, at: day(32)).trusted(.secret)))
    }

    // MARK: Others

    @Test("Two statements of one date differ until a later one settles it")
    func settled() {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9))
        let silent = Fact.notification(
            .didChangeRenewalStatus, "1", day(0), day(30), at: day(10))
        let later = Fact.transaction("1", day(0), day(30), at: day(12)).revoked(day(9))
        let open = given(bought, refund, silent)
        #expect(open.notices(.contradiction).map(\.to) == [nil])
        #expect(open.notices(.contradiction).map { $0.period?.transactionId?.rawValue } == ["1"])
        let closed = given(bought, refund, silent, later)
        #expect(closed.notices(.contradiction).map(\.to) == [day(12)])
        #expect(closed.answer(day(12))?.notices.isEmpty == true)
    }

    @Test("A renewal signed early has its own period's status")
    func statusAhead() {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10)).revoked(day(9))
        // The state of that moment still agrees.
        let statuses: [(SubscriptionStatus, [NoticeCode])] = [
            (.active, []), (.billingRetry, [.contradiction]), (.revoked, []),
        ]
        for (status, codes) in statuses {
            let renewed = Fact.didRenew("2", day(30), day(60), at: day(29))
            expectNotices(given(bought, refund, renewed.with { $0.status = Raw(status) }), codes)
        }
    }

    @Test("Of two ends only a restatement of the larger one settles it")
    func settledEnd() {
        func life(_ end: Timestamp?) -> Lifecycle {
            let others = end.map { [Fact.transaction("1", day(0), $0, at: day(12))] } ?? []
            return given(
                [
                    .transaction("1", day(0), day(30), at: day(10)),
                    .transaction("1", day(0), day(31), at: day(10)),
                ] + others)
        }
        #expect(life(nil).notices(.contradiction).map(\.to) == [nil])
        #expect(life(day(30)).notices(.contradiction).map(\.to) == [nil])
        #expect(life(day(31)).notices(.contradiction).map(\.to) == [day(12)])
    }

    @Test("The end of undated grace is estimated only if nothing ended it earlier")
    func guessedGrace() {
        let undated = Fact.notification(.didFailToRenew, .gracePeriod, at: day(30))
        func isGuess(_ facts: Fact...) -> Bool {
            !given([bought, undated] + facts).notices(.unknownValue).isEmpty
        }
        #expect(isGuess())
        for end in [day(32), day(33)] {
            #expect(!isGuess(.status(.billingRetry, at: end)))
            #expect(!isGuess(.notification(.gracePeriodExpired, at: end)))
            #expect(!isGuess(.expired(.billingRetry, at: end)))
            #expect(!isGuess(.didRenew("2", end, day(63), .billingRecovery)))
        }
        let late = day(33, 1)
        #expect(isGuess(.status(.billingRetry, at: late)))
        #expect(isGuess(.expired(.billingRetry, at: late)))
        #expect(isGuess(.didRenew("2", late, day(63), .billingRecovery)))
    }

    @Test("A restored copy of the first transaction is not missing history")
    func restored() {
        func copy(_ id: String, at signedDate: Timestamp) -> Fact {
            .transaction(id, day(0), day(30), at: signedDate).transaction {
                $0.webOrderLineItemId = WebOrderLineItemId("w")
                $0.transactionReason = Raw(.renewal)
            }
        }
        expectNotices(given(copy("2", at: day(2))), [.historyMissingBefore])
        expectNotices(given(copy("2", at: day(2)), copy("1", at: day(1))), [])
    }

    @Test("A notice names its period, or the time of which nothing is known")
    func periods() {
        let overdue = given(bought, on).notices(.renewalOverdue).first?.period
        #expect(overdue?.transactionId == TransactionId("1"))
        #expect(overdue?.productId == ProductId("pro.monthly"))
        #expect(overdue?.from == day(0) && overdue?.to == day(30))
        let expired = given(bought, on, .expired(at: day(31))).notices(.unexplainedExpiry)
        #expect(expired.map(\.period) == [overdue])
        let upgraded = given(bought.transaction { $0.isUpgraded = true })
        #expect(upgraded.notices.map(\.from) == [day(30)])
        #expect(upgraded.notices.allSatisfy { $0.period?.contains(day(9_000)) == true })
        let adopted = Fact.didRenew("2", day(60), day(90)).transaction {
            $0.originalPurchaseDate = day(0)
        }
        #expect(given(adopted).notices.map { $0.period?.from } == [day(0)])
        #expect(given(adopted).notices.map { $0.period?.to } == [day(60)])
        #expect(given(adopted).notices.allSatisfy { $0.period?.transactionId == nil })
        let status = given(bought, .status(.expired, at: day(10))).notices(.contradiction)
        #expect(status.map { $0.period?.transactionId?.rawValue } == ["1"])
        // About many deliveries, or none in a period: no period.
        #expect(given(bought.with { $0.receivedAt = day(1) }).notices.map(\.period) == [nil])
    }
}
