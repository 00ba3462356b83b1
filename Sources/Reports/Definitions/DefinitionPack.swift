import Ledger

/// A product whose documented definitions a metric is compared with. Raw values are the contract's.
public enum DefinitionPack: String, Sendable, CaseIterable {
    case revenuecat
    case adapty
    case stripe
    case appstoreconnect

    /// The metrics that at least one product documents in terms of payloads.
    public static let metrics = Set(documented.values.flatMap(\.keys)).sorted()

    /// The rules that differ from ours, in order; empty for none. Nil where the product does not
    /// document the metric, or not in terms of payloads.
    package func rules(_ metric: String) -> [DefinitionRule]? {
        DefinitionPack.documented[self]?[metric]
    }

    private static let documented: [DefinitionPack: [String: [DefinitionRule]]] = [
        .revenuecat: [
            "active": [.trialsExcluded],
            "arr": [.fourWeeksAMonth],
            "churn": [.trialsExcluded, .returnsNetted],
            "mrr": [.fourWeeksAMonth],
            "mrr-movement": [
                .fourWeeksAMonth, .conversionsIncluded, .returnsNetted, .changesNetted,
            ],
            "reactivations": [.recoveriesIncluded],
            "refunds": [.datedByPurchase],
            "refunds-by-purchase": [],
            "retention": [.introExcluded, .changesBeginCohorts, .refundsEndCohorts],
            "revenue": [.refundsSubtracted],
            "starts": [.conversionsIncluded],
            "trials": [.refundedNotConverted],
        ],
        .adapty: [
            "active": [.trialsExcluded, .setToCancelExcluded],
            "arr": [.weekOf023Months, .refundedRemoved],
            "churn": [.trialsExcluded],
            "mrr": [.weekOf023Months, .refundedRemoved],
            "reactivations": [.autoRenewBackOn],
            "recoveries": [.datedByRecovery],
            "refunds": [],
            "retention": [.trialsBeginCohorts],
            "starts": [],
            "trials": [.laterPurchasesConvert],
        ],
        .stripe: [
            "active": [.trialsExcluded, .pastDueIncluded, .perSubscriber],
            "arr": [.pastDueIncluded],
            "churn": [.trialsExcluded, .pastDueIncluded, .lastThirtyDays, .perSubscriber],
            "mrr": [.pastDueIncluded],
            "mrr-movement": [.pastDueIncluded, .moneyAlone, .perSubscriber],
        ],
        .appstoreconnect: [
            "active": [.trialsExcluded],
            "refunds": [],
            "retention": [.latePaymentsAreNew],
            "starts": [.latePaymentsAreNew],
        ],
    ]

    /// The compared figures of a metric, in order; names are those of our columns.
    func figures(_ metric: String) -> [CountColumn] {
        switch metric {
        case "arr": [.annualised("arr")]
        case "churn": [.count("churned")]
        case "mrr": [.annualised("annualised")]
        case "mrr-movement":
            self == .stripe
                ? SubscriberMoney.figures.map { .annualised($0) }
                : [.annualised("new"), .annualised("churned")]
        case "reactivations": [.count("reactivated")]
        case "recoveries":
            [.count("grace.entered"), .count("grace.recovered"), .count("billingRetry.recovered")]
        case "refunds", "refunds-by-purchase": [.count("refunds"), .money("refunded")]
        case "retention":
            [.count("cohort")] + (1...MetricSteps.count).map { .count(PaidCohort.step($0)) }
        case "revenue": [.money("gross")]
        case "starts": [.count("paidStarts")]
        case "trials": [.count("converted")]
        default: [.count("active")]
        }
    }

    /// The product's name of a reason for the end of access; nil where it has none.
    func name(of reason: EndReason) -> String? {
        switch self {
        case .revenuecat:
            switch reason {
            case .voluntary: "UNSUBSCRIBE"
            case .billing: "BILLING_ERROR"
            case .priceIncrease: "PRICE_INCREASE"
            case .refund: "CUSTOMER_SUPPORT"
            default: "UNKNOWN"
            }
        case .adapty:
            switch reason {
            case .voluntary: "customer cancel"
            case .billing: "billing"
            case .priceIncrease: "price not accepted"
            case .refund: "refund"
            default: "unknown"
            }
        case .stripe, .appstoreconnect: nil
        }
    }
}

extension DefinitionPack {
    /// Our reasons with the product's names; empty where it has none.
    var reasons: [Comparison.NamedReason] {
        EndReason.allCases.compactMap { reason in
            name(of: reason).map { Comparison.NamedReason(reason: reason, theirs: $0) }
        }
    }

    /// One figure per name of the product, in the order of our reasons.
    var reasonFigures: [CountColumn] {
        var names: [String] = []
        for named in reasons where !names.contains(named.theirs) { names.append(named.theirs) }
        return names.map { .count($0) }
    }

    /// The figures with a documented rate; the report includes their denominators.
    func based(_ metric: String) -> Set<String> {
        switch (self, metric) {
        case (.revenuecat, "churn"), (.stripe, "churn"): ["churned"]
        case (.revenuecat, "trials"): ["converted"]
        case (.revenuecat, "retention"): Set((1...MetricSteps.count).map { PaidCohort.step($0) })
        case (.revenuecat, "refunds-by-purchase"): ["refunds"]
        default: []
        }
    }
}

extension CountColumn {
    static func annualised(_ name: String) -> CountColumn {
        CountColumn(name: name, unit: .annualisedMilliunits)
    }
}
