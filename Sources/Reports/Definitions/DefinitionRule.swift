/// One rule by which a product counts otherwise than we do. Raw values are stable.
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

    /// What they do.
    public var theirs: String { words.theirs }

    /// What we do.
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
                "Every chain with access counts; `--paid` leaves trials out."
            )
        case .setToCancelExcluded:
            (
                "Subscriptions with auto-renew off do not count as active.",
                "They have access, and are a column of their own (setToCancel)."
            )
        case .returnsNetted:
            (
                "Those who come back in the period are subtracted from those who left.",
                "They are columns of their own, never a negative churn."
            )
        case .lastThirtyDays:
            (
                "Those who left in the 30 days before the end are counted.",
                "Those who left in the interval are counted."
            )
        case .pastDueIncluded:
            (
                "Subscriptions whose renewal failed still count (past due): they are lost when retry"
                    + " ends.",
                "In billing retry there is no access: nothing recurs, and they are lost when it"
                    + " begins."
            )
        default:
            (
                "Subscribers are counted: all chains of one customer together are one.",
                "Chains are counted, each on its own."
            )
        }
    }

    private var moneyWords: Words {
        switch self {
        case .fourWeeksAMonth:
            (
                "A week's price counts 4 times a month, a day's 30 times, other days' 28 / days.",
                "A year has 52 weeks and 365 days, a month a twelfth of it."
            )
        case .weekOf023Months: ("A week is 0.23 months.", "A month has 52 / 12 weeks.")
        case .refundedRemoved:
            (
                "A refunded subscription is removed from every period up to the refunded one.",
                "A refund counts from its own day; the past stays as it was."
            )
        case .conversionsIncluded:
            (
                "Who pays for the first time is new, dated at that payment, a trial before it or not.",
                "A trial that converts is a column of its own (converted); starts are first periods."
            )
        case .changesNetted:
            (
                "Changes of product, price and currency are an end and a renewal, netted in churned.",
                "Expansion, contraction, moves and toFree are columns of their own."
            )
        case .moneyAlone:
            (
                "The first money is new, money after none a reactivation, the last that ends churned.",
                "Gains and losses are named by the state before them and after them."
            )
        default:
            (
                "Refunds are subtracted on their own day; what is given back is added.",
                "Revenue is gross; refunds and reversals are columns of their own."
            )
        }
    }

    private var cohortWords: Words {
        switch self {
        case .latePaymentsAreNew:
            (
                "A payment in billing retry or later is that of a new subscription.",
                "The chain stays the same; the payment is recovered or won back."
            )
        case .laterPurchasesConvert:
            (
                "Any purchase after the trial converts it, even months later.",
                "The next period of the same run converts it; later ones are won back."
            )
        case .refundedNotConverted:
            (
                "A refunded conversion is none.",
                "It converted, and the refund is told on its own day."
            )
        case .introExcluded:
            (
                "The cohort begins with the first payment of the standard price.",
                "The cohort begins with the first paid period, at whatever price."
            )
        case .trialsBeginCohorts:
            (
                "A trial begins its cohort; the steps are payments.",
                "The first paid period begins the cohort."
            )
        case .changesBeginCohorts:
            (
                "Another product, and a payment after access ended, begin a new subscription.",
                "One chain is in one cohort, whatever it pays for and after whatever gap."
            )
        case .refundsEndCohorts:
            (
                "A refund is churn: from the refunded payment on no step is reached.",
                "A step is reached when it was paid; refunds are told apart."
            )
        case .recoveriesIncluded:
            (
                "Any purchase on an inactive subscription, in billing retry too, is a resubscription.",
                "From billing retry it is recovered; only after expired or revoked it is won back."
            )
        case .autoRenewBackOn:
            (
                "Reactivated is auto-renew back on, whatever the state.",
                "Won back is access after it ended; auto-renew on is a metric of its own."
            )
        case .datedByPurchase:
            (
                "A refund counts in the period of its purchase, which so changes later.",
                "A refund counts on its own day; refunds-by-purchase is a metric of its own."
            )
        default:
            (
                "A recovery counts on the day it was paid.",
                "It counts in the cohort of the day grace or retry began."
            )
        }
    }
}
