/// A rule by which a product counts differently from us. Raw values are stable.
public enum DefinitionRule: String, Sendable, CaseIterable {
    case trialsExcluded
    case setToCancelExcluded
    case returnsNetted
    case lastThirtyDays
    case fourWeeksAMonth
    case weekOf023Months
    case refundedRemoved
    case pastDueIncluded
    case conversionsIncluded
    case changesNetted
    case moneyAlone
    case perSubscriber
    case latePaymentsAreNew
    case laterPurchasesConvert
    case refundedNotConverted
    case introExcluded
    case trialsBeginCohorts
    case changesBeginCohorts
    case refundsEndCohorts
    case recoveriesIncluded
    case autoRenewBackOn
    case datedByPurchase
    case datedByRecovery
    case refundsSubtracted

    /// The product's rule.
    public var theirs: String {
        switch self {
        case .trialsExcluded:
            "Only paid subscriptions count; trials do not."
        case .setToCancelExcluded:
            "Subscriptions with auto-renew off do not count as active."
        case .returnsNetted:
            "Returns in the period are subtracted from churned subscriptions."
        case .lastThirtyDays:
            "Losses in the 30 days before the end are counted."
        case .fourWeeksAMonth:
            "A week's price counts 4 times a month, a day's 30, three days' 10, n days' 28 / n."
        case .weekOf023Months:
            "A week is 0.23 months."
        case .refundedRemoved:
            "A refunded subscription is removed from every period up to the refunded one."
        case .pastDueIncluded:
            "Subscriptions whose renewal failed still count (past due) and are lost when retry"
                + " ends."
        case .conversionsIncluded:
            "A first payment is new, dated at that payment, with or without a trial before it."
        case .changesNetted:
            "Changes of product, price and currency are an end and a renewal, net in churned."
        case .moneyAlone:
            "The first money is new, money after none a reactivation, the last to end churned."
        case .perSubscriber:
            "Subscribers are counted: all chains of one customer count as one."
        case .latePaymentsAreNew:
            "A payment in billing retry or later starts a new subscription."
        case .laterPurchasesConvert:
            "Any purchase after the trial converts it, even months later."
        case .refundedNotConverted:
            "A refunded conversion does not count."
        case .introExcluded:
            "The cohort begins with the first payment at the standard price."
        case .trialsBeginCohorts:
            "A trial begins its cohort; the steps are payments."
        case .changesBeginCohorts:
            "Another product, and a payment after access ended, begin a new subscription."
        case .refundsEndCohorts:
            "A refund is churn: no step counts from the refunded payment on."
        case .recoveriesIncluded:
            "Purchases on inactive subscriptions, also in billing retry, are resubscriptions."
        case .autoRenewBackOn:
            "Reactivated means auto-renew back on, in any state."
        case .datedByPurchase:
            "A refund counts in the period of its purchase, which changes later; a reversed one does not"
                + " count."
        case .datedByRecovery:
            "A recovery counts on the day it was paid."
        case .refundsSubtracted:
            "Refunds are subtracted on their own day; reversals are added."
        }
    }

    /// Our rule.
    public var ours: String {
        switch self {
        case .trialsExcluded:
            "Every chain with access counts; `paid` excludes trials."
        case .setToCancelExcluded:
            "They have access, and have a column of their own (setToCancel)."
        case .returnsNetted:
            "Returns have columns of their own; churn is never negative."
        case .lastThirtyDays:
            "Losses in the interval are counted."
        case .fourWeeksAMonth:
            "A year has 52 weeks and 365 days, and a month is a twelfth of it."
        case .weekOf023Months:
            "A month has 52 / 12 weeks."
        case .refundedRemoved:
            "A refund counts from its own day; earlier periods do not change."
        case .pastDueIncluded:
            "Billing retry has no access: nothing recurs, and the subscription is lost when it"
                + " begins."
        case .conversionsIncluded:
            "Converted trials have a column of their own (converted); starts are first periods."
        case .changesNetted:
            "Expansion, contraction, moves and toFree have columns of their own."
        case .moneyAlone:
            "Gains and losses are named by the states before and after them."
        case .perSubscriber:
            "Chains are counted, each separately."
        case .latePaymentsAreNew:
            "The chain stays the same; the payment is a recovery or a win-back."
        case .laterPurchasesConvert:
            "The next period of the same run converts it; later ones are win-backs."
        case .refundedNotConverted:
            "It converted, and the refund counts on its own day."
        case .introExcluded:
            "The cohort begins with the first paid period, at any price."
        case .trialsBeginCohorts:
            "The first paid period begins the cohort."
        case .changesBeginCohorts:
            "A chain is in one cohort, regardless of its products and gaps."
        case .refundsEndCohorts:
            "A step is reached when it was paid; refunds are counted separately."
        case .recoveriesIncluded:
            "From billing retry it is a recovery; a win-back follows expired or revoked."
        case .autoRenewBackOn:
            "A win-back is access after it ended; auto-renew on is a separate metric."
        case .datedByPurchase:
            "A refund counts on its own day, a reversal on its own; refunds-by-purchase is a separate"
                + " metric."
        case .datedByRecovery:
            "It counts in the cohort of the day grace or retry began."
        case .refundsSubtracted:
            "Revenue is gross; refunds and reversals have columns of their own."
        }
    }
}
