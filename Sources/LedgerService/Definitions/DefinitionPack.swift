/// Whose definitions a metric is shown under beside ours, as they document them. Raw values are the
/// contract's.
public enum DefinitionPack: String, Sendable, CaseIterable {
    case revenuecat
    case adapty
    case stripe
    case appstoreconnect

    /// The metrics that some product documents in a way that payloads can tell.
    public static let metrics = ["active", "churn", "mrr"]

    /// What is different from ours, in order; nil where the product documents no such metric.
    func rules(_ metric: String) -> [DefinitionRule]? {
        switch (self, metric) {
        case (.revenuecat, "active"), (.appstoreconnect, "active"): [.trialsExcluded]
        case (.adapty, "active"): [.trialsExcluded, .setToCancelExcluded]
        case (.revenuecat, "churn"): [.trialsExcluded, .returnsNetted]
        case (.adapty, "churn"): [.trialsExcluded]
        case (.stripe, "churn"): [.trialsExcluded, .pastDueIncluded, .lastThirtyDays]
        case (.revenuecat, "mrr"): [.fourWeeksAMonth]
        case (.adapty, "mrr"): [.weekOf023Months, .refundedRemoved]
        case (.stripe, "mrr"): [.pastDueIncluded]
        default: nil
        }
    }
}

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

    /// What they do.
    public var theirs: String {
        switch self {
        case .trialsExcluded: "Only paid subscriptions count; trials do not."
        case .setToCancelExcluded: "Subscriptions with auto-renew off do not count as active."
        case .returnsNetted: "Those who come back in the period are subtracted from those who left."
        case .lastThirtyDays: "Those who left in the 30 days before the end are counted."
        case .fourWeeksAMonth:
            "A week's price counts 4 times a month, a day's 30 times, other days' 28 / days."
        case .weekOf023Months: "A week is 0.23 months."
        case .refundedRemoved:
            "A refunded subscription is removed from every period up to the refunded one."
        case .pastDueIncluded:
            "Subscriptions whose renewal failed still count (past due): they are lost when retry ends."
        }
    }

    /// What we do.
    public var ours: String {
        switch self {
        case .trialsExcluded: "Every chain with access counts; `--paid` leaves trials out."
        case .setToCancelExcluded: "They have access, and are a column of their own (setToCancel)."
        case .returnsNetted: "They are columns of their own, never a negative churn."
        case .lastThirtyDays: "Those who left in the interval are counted."
        case .fourWeeksAMonth: "A year has 52 weeks and 365 days, a month a twelfth of it."
        case .weekOf023Months: "A month has 52 / 12 weeks."
        case .refundedRemoved: "A refund counts from its own day; the past stays as it was."
        case .pastDueIncluded:
            "In billing retry there is no access: nothing recurs, and they are lost when it begins."
        }
    }
}
