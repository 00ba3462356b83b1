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
    public var theirs: String { words.theirs }

    /// Our rule.
    public var ours: String { words.ours }

    private typealias Words = (theirs: String, ours: String)

    private var words: Words {
        switch self {
        case .trialsExcluded, .setToCancelExcluded, .returnsNetted, .lastThirtyDays,
            .pastDueIncluded, .perSubscriber:
            chainWords
        case .fourWeeksAMonth, .weekOf023Months, .refundedRemoved, .conversionsIncluded,
            .changesNetted, .moneyAlone, .refundsSubtracted:
            moneyWords
        default: cohortWords
        }
    }

    private var chainWords: Words {
        switch self {
        case .trialsExcluded:
            (
                "Only paid subscriptions count; trials do not.",
                "Every chain with access counts; `--paid` excludes trials."
            )
        case .setToCancelExcluded:
            (
                "Subscriptions with auto-renew off do not count as active.",
                "They have access, and have a column of their own (setToCancel)."
            )
        case .returnsNetted:
            (
                "Returns in the period are subtracted from churned subscriptions.",
                "Returns have columns of their own; churn is never negative."
            )
        case .lastThirtyDays:
            (
                "Losses in the 30 days before the end are counted.",
                "Losses in the interval are counted."
            )
        case .pastDueIncluded:
            (
                "Subscriptions whose renewal failed still count (past due) and are lost when retry"
                    + " ends.",
                "Billing retry has no access: nothing recurs, and the subscription is lost when it"
                    + " begins."
            )
        default:
            (
                "Subscribers are counted: all chains of one customer count as one.",
                "Chains are counted, each separately."
            )
        }
    }

    private var moneyWords: Words {
        switch self {
        case .fourWeeksAMonth:
            (
                "A week's price counts 4 times a month, a day's 30 times, other days' 28 / days.",
                "A year has 52 weeks and 365 days, and a month is a twelfth of it."
            )
        case .weekOf023Months: ("A week is 0.23 months.", "A month has 52 / 12 weeks.")
        case .refundedRemoved:
            (
                "A refunded subscription is removed from every period up to the refunded one.",
                "A refund counts from its own day; earlier periods do not change."
            )
        case .conversionsIncluded:
            (
                "A first payment is new, dated at that payment, with or without a trial before it.",
                "Converted trials have a column of their own (converted); starts are first periods."
            )
        case .changesNetted:
            (
                "Changes of product, price and currency are an end and a renewal, net in churned.",
                "Expansion, contraction, moves and toFree have columns of their own."
            )
        case .moneyAlone:
            (
                "The first money is new, money after none a reactivation, the last to end churned.",
                "Gains and losses are named by the states before and after them."
            )
        default:
            (
                "Refunds are subtracted on their own day; reversals are added.",
                "Revenue is gross; refunds and reversals have columns of their own."
            )
        }
    }

    private var cohortWords: Words {
        switch self {
        case .latePaymentsAreNew:
            (
                "A payment in billing retry or later starts a new subscription.",
                "The chain stays the same; the payment is a recovery or a win-back."
            )
        case .laterPurchasesConvert:
            (
                "Any purchase after the trial converts it, even months later.",
                "The next period of the same run converts it; later ones are win-backs."
            )
        case .refundedNotConverted:
            (
                "A refunded conversion does not count.",
                "It converted, and the refund counts on its own day."
            )
        case .introExcluded:
            (
                "The cohort begins with the first payment at the standard price.",
                "The cohort begins with the first paid period, at any price."
            )
        case .trialsBeginCohorts:
            (
                "A trial begins its cohort; the steps are payments.",
                "The first paid period begins the cohort."
            )
        case .changesBeginCohorts:
            (
                "Another product, and a payment after access ended, begin a new subscription.",
                "A chain is in one cohort, regardless of its products and gaps."
            )
        case .refundsEndCohorts:
            (
                "A refund is churn: no step counts from the refunded payment on.",
                "A step is reached when it was paid; refunds are counted separately."
            )
        case .recoveriesIncluded:
            (
                "Purchases on inactive subscriptions, also in billing retry, are resubscriptions.",
                "From billing retry it is a recovery; a win-back follows expired or revoked."
            )
        case .autoRenewBackOn:
            (
                "Reactivated means auto-renew back on, in any state.",
                "A win-back is access after it ended; auto-renew on is a separate metric."
            )
        case .datedByPurchase:
            (
                "A refund counts in the period of its purchase, which changes later.",
                "A refund counts on its own day; refunds-by-purchase is a separate metric."
            )
        default:
            (
                "A recovery counts on the day it was paid.",
                "It counts in the cohort of the day grace or retry began."
            )
        }
    }
}
