import AppStore
import Ledger
import Testing

/// Names that integrations rely on.
@Suite("Contract names")
struct ContractNameTests {
    @Test("States")
    func states() {
        #expect(
            ChainState.allCases.map(\.rawValue) == [
                "subscribed", "renewing", "grace", "billingRetry", "expired", "revoked", "owned",
                "lapsed", "consumed",
            ])
    }

    @Test("Entitled states, and Apple's status for each")
    func table() {
        let entitled = ChainState.allCases.filter(\.isEntitled)
        #expect(entitled == [.subscribed, .renewing, .grace, .owned])
        #expect(
            ChainState.allCases.map(\.appleStatus) == [1, 1, 4, 3, 2, 5, nil, nil, nil])
    }

    @Test("Reasons: the columns of the churn report")
    func reasons() {
        #expect(
            EndReason.allCases.map(\.rawValue) == [
                "voluntary", "billing", "priceIncrease", "productUnavailable", "refund",
                "familyRevoke", "other", "unconfirmed",
            ])
    }

    @Test("Notice codes")
    func notices() {
        #expect(
            NoticeCode.allCases.map(\.rawValue) == [
                "renewalOverdue", "missingPeriod", "unexplainedExpiry", "historyMissingBefore",
                "missingRenewalInfo", "lateDelivery", "contradiction", "tokenChanged", "unreadable",
                "unknownValue",
                "unconfirmedStatement", "erasedBefore",
            ])
    }

    @Test("Facts of the timeline")
    func facts() {
        #expect(
            TimelineEventName.allCases.map(\.rawValue) == [
                "renewed", "autoRenewDisabled", "autoRenewEnabled", "productChangeScheduled",
                "productChangeCancelled", "upgraded", "downgraded", "crossgraded", "offerRedeemed",
                "priceIncreasePending", "priceIncreaseAccepted", "refunded", "refundDeclined",
                "refundReversed", "consumptionRequested", "extended", "accountLinked",
                "accountUnlinked", "noted",
            ])
    }

    @Test("Phases and price increases")
    func phases() {
        let phases: [ChainAnswer.Phase] = [.trial, .intro, .offer, .standard]
        #expect(phases.map(\.rawValue) == ["trial", "intro", "offer", "standard"])
        let increases: [ChainAnswer.PriceIncrease] = [.pending, .accepted]
        #expect(increases.map(\.rawValue) == ["pending", "accepted"])
    }

    @Test("Trust ranks: signed over transport over secret over operator over xcode")
    func trust() {
        #expect(Trust.allCases.sorted(by: >) == [.signed, .transport, .secret, .operator, .xcode])
        #expect(
            Trust.allCases.map(\.rawValue)
                == ["signed", "transport", "secret", "operator", "xcode"])
    }
}
