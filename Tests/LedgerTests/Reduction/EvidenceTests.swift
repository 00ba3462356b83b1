import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2 rule 5: which facts count, and what they state.
@Suite("Rule 5: facts about the time after a period")
struct EvidenceTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    /// The states after the end that result from one fact, signed two days after it.
    private func said(_ fact: Fact) -> [ChainState] {
        Array(given(bought, fact).history.map(\.state).dropFirst())
    }

    @Test(
        "Failing: a failed renewal, an ended grace period, status 3 or 4, a grace date, retry",
        arguments: [
            .notification(.didFailToRenew, at: day(32)),
            .notification(.gracePeriodExpired, at: day(32)),
            .status(.billingRetry, at: day(32)),
            .renewalInfo(at: day(32)) { $0.isInBillingRetryPeriod = true },
            .renewalInfo(at: day(32)) {
                $0.isInBillingRetryPeriod = true
                $0.expirationIntent = Raw(.billingError)
            },
        ] as [Fact])
    func failing(_ fact: Fact) {
        #expect(said(fact) == [.billingRetry, .expired])
    }

    @Test("A grace date at the end states nothing; one millisecond later it does")
    func graceDateBound() {
        func fact(_ date: Timestamp) -> Fact {
            .renewalInfo(at: day(32)) {
                $0.gracePeriodExpiresDate = date
                $0.autoRenewStatus = Raw(.on)
            }
        }
        #expect(said(fact(day(30))) == [.expired])
        #expect(said(fact(day(30, 1))) == [.grace, .billingRetry, .expired])
    }

    @Test(
        "Over precedes failing: EXPIRED with a retry flag, status 2 beside a failure"
    )
    func overFirst() {
        let retry = Fact.didFailToRenew(at: day(31))
        let expired = Fact.expired(.billingRetry, at: day(32)).renewal {
            $0.isInBillingRetryPeriod = true
        }
        let status = Fact.didFailToRenew(at: day(32)).with { $0.status = Raw(.expired) }
        for over in [expired, status] {
            expectHistory(
                given(bought, retry, over),
                [
                    Start(.subscribed, day(0)), Start(.billingRetry, day(30)),
                    Start(.expired, day(32)),
                ])
        }
    }

    @Test(
        "The unsigned status of a pair does not overrule its renewal info",
        arguments: SubscriptionStatus.allCases)
    func pair(_ status: SubscriptionStatus) {
        func states(_ change: (inout RenewalSnapshot) -> Void) -> [ChainState] {
            said(.status(status, at: day(32)).renewal(change))
        }
        for intent in ExpirationIntent.allCases where intent != .billingError {
            let ended = states {
                $0.autoRenewStatus = Raw(.off)
                $0.expirationIntent = Raw(intent)
                $0.isInBillingRetryPeriod = false
                $0.gracePeriodExpiresDate = day(46)
            }
            #expect(ended == [.expired])
        }
        let inGrace = states {
            $0.autoRenewStatus = Raw(.on)
            $0.expirationIntent = Raw(.billingError)
            $0.isInBillingRetryPeriod = false
            $0.gracePeriodExpiresDate = day(46)
        }
        #expect(inGrace == [.grace, .billingRetry, .expired])
    }

    @Test(
        "It decides where the renewal info states a billing error alone, or grace that was over",
        arguments: [
            (.active, [.expired]), (.expired, [.expired]), (.revoked, [.expired]),
            (.billingRetry, [.billingRetry, .expired]),
            (.billingGracePeriod, [.grace, .billingRetry, .expired]),
        ] as [(SubscriptionStatus, [ChainState])])
    func pairStatus(_ status: SubscriptionStatus, _ expected: [ChainState]) {
        let pair = Fact.status(status, at: day(32)).renewal {
            $0.expirationIntent = Raw(.billingError)
            $0.isInBillingRetryPeriod = false
        }
        #expect(said(pair) == expected)
        let lingering = Fact.status(.expired, at: day(32)).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.expirationIntent = Raw(.billingError)
            $0.gracePeriodExpiresDate = day(31)
        }
        #expect(said(lingering) == [.expired])
    }

    @Test("Renewal info from before the window does not overrule the status of its pair")
    func olderRenewalInfo() {
        func history(_ signedDate: Timestamp) -> [Start] {
            given(
                bought, .didFailToRenew(at: day(30), grace: day(46)),
                .status(.billingGracePeriod, at: day(32)).renewal {
                    $0.signedDate = signedDate
                    $0.autoRenewStatus = Raw(.off)
                    $0.expirationIntent = Raw(.customerCancelled)
                    $0.isInBillingRetryPeriod = false
                }
            ).history
        }
        let grace = [Start(.subscribed, day(0)), Start(.grace, day(30))]
        #expect(
            history(day(29, -1))
                == grace + [Start(.billingRetry, day(46)), Start(.expired, day(90))])
        #expect(history(day(29)) == grace + [Start(.expired, day(32))])
    }

    @Test("Undated grace is not ended by the status of a pair that does not count")
    func undatedGrace() {
        func history(_ change: (inout RenewalSnapshot) -> Void) -> [Start] {
            given(
                bought, .notification(.didFailToRenew, .gracePeriod, at: day(30)),
                .status(.billingRetry, at: day(31)).renewal(change),
                .notification(.didFailToRenew, at: day(32)).with {
                    $0.status = Raw(.billingRetry)
                }
            ).history
        }
        let cancelled = history {
            $0.expirationIntent = Raw(.customerCancelled)
            $0.isInBillingRetryPeriod = false
        }
        #expect(cancelled.prefix(3).last == Start(.billingRetry, day(32)))
        #expect(history { _ in }.prefix(3).last == Start(.billingRetry, day(31)))
    }

    @Test(
        "Nothing: other notifications, status 1 or 5, unknown values, a lone transaction",
        arguments: [
            .notification(.didChangeRenewalPref, at: day(32)),
            .notification(.refundDeclined, at: day(32)),
            .status(.active, at: day(32)), .status(.revoked, at: day(32)),
            .reported(.renewalPair, at: day(32)).with { $0.status = Raw(rawValue: 9) },
            .reported(.notification, at: day(32)).with {
                $0.cause.notificationType = Raw(rawValue: "DID_SOMETHING")
            },
            .transaction("1", day(0), day(30), at: day(32)),
            .renewalInfo(at: day(32)) { $0.autoRenewStatus = Raw(.off) },
        ] as [Fact])
    func nothing(_ fact: Fact) {
        #expect(said(fact) == [.expired])
    }

    @Test(
        "The window opens 24 hours before the end, or half a shorter period before it",
        arguments: [
            (30 * dayLength, 24 * hour), (hour, hour / 2), (2 * dayLength, 24 * hour),
            (2 * dayLength - 2, 24 * hour - 1), (2 * dayLength + 2, 24 * hour), (3, 1),
        ])
    func windowOpens(_ length: Int64, _ lead: Int64) {
        func states(_ signedDate: Timestamp) -> [ChainState] {
            given(
                .subscribed("1", day(0), day(0, length)),
                .notification(.didFailToRenew, at: signedDate)
            ).history.map(\.state)
        }
        #expect(states(day(0, length - lead)) == [.subscribed, .billingRetry, .expired])
        #expect(states(day(0, length - lead - 1)) == [.subscribed, .expired])
    }

    @Test("The window closes at the next start, exclusive")
    func windowCloses() {
        func states(_ signedDate: Timestamp) -> [ChainState] {
            given(
                bought, .resubscribed("2", day(40), day(70)),
                .notification(.didFailToRenew, at: signedDate)
            ).history.map(\.state)
        }
        #expect(states(day(40, -1)) == [.subscribed, .billingRetry, .renewing, .expired])
        #expect(states(day(40)) == [.subscribed, .expired, .subscribed, .expired])
    }
}
