internal import Ledger
package import Reports

/// The drawn part of a metric.
package struct ChartedMetric {
    let title: String
    let columns: [String]
    let isMoney: Bool
    let isRate: Bool
    let unit: String

    /// Nil for metrics that lines over time do not represent.
    package init?(_ name: MetricName) {
        switch name {
        case .mrr: self.init("Monthly recurring revenue", ["mrr"], isMoney: true)
        case .arr: self.init("Annual recurring revenue", ["arr"], isMoney: true)
        case .mrrMovement:
            self.init(
                "What moved monthly recurring revenue",
                [
                    "new", "reactivated", "recovered", "converted", "expansion", "contraction",
                    "churned.total",
                ], isMoney: true)
        case .churn, .lateness, .ltv: return nil
        case .counted(.active):
            self.init("Active subscriptions", ["active", "activePaid", "setToCancel"])
        case .counted(.starts): self.init("Starts", ["starts", "trialStarts", "paidStarts"])
        case .counted(.renewals):
            self.init("Renewals", ["renewals", "recovered"], unit: "periods")
        case .counted(.reactivations): self.init("Won back", ["reactivated"])
        case .counted(.autoRenew):
            self.init("Auto-renew turned off and on", ["off", "on"], unit: "times")
        case .counted(.productChanges):
            self.init(
                "Changes of product", ["upgraded", "downgraded", "crossgraded"], unit: "times")
        case .counted(.trials):
            self.init("Trials that were paid after all", ["conversion"], isRate: true)
        case .counted(.recoveries):
            self.init(
                "Failed renewals that were paid after all",
                ["grace.recovered", "billingRetry.recovered"], isRate: true)
        case .counted(.retention):
            self.init(
                "Retention of cohorts, by the paid period reached",
                [2, 3, 6, 12].map { "step.\($0)" }, isRate: true)
        case .counted(.revenue): self.init("Revenue", ["gross", "refunded"], isMoney: true)
        case .counted(.refunds): self.init("Refunds", ["refunded", "reversed"], isMoney: true)
        case .counted(.proceeds):
            self.init("Proceeds, estimated", ["gross", "proceeds"], isMoney: true)
        case .counted(.refundsByPurchase):
            self.init("Refunded of what was bought", ["refundRate"], isRate: true)
        }
    }

    private init(
        _ title: String, _ columns: [String], isMoney: Bool = false, isRate: Bool = false,
        unit: String = "chains"
    ) {
        self.title = title
        self.columns = columns
        self.isMoney = isMoney
        self.isRate = isRate
        self.unit = unit
    }

    /// Names of the drawable metrics, in the order of `MetricName`.
    package static var names: [String] {
        MetricName.allCases.filter { ChartedMetric($0) != nil }.map(\.rawValue)
    }
}

/// Why a report has no chart.
package enum ChartError: Error, Sendable, Hashable {
    /// The metric is not a series over time.
    case undrawn(String)
    /// They share no axis.
    case severalCurrencies
    /// More than `ReportChart.lineCount`.
    case tooManyLines(Int)

    /// Stable; scripts rely on it.
    package var code: String {
        switch self {
        case .undrawn: "undrawnMetric"
        case .severalCurrencies: "severalCurrencies"
        case .tooManyLines: "tooManyLines"
        }
    }

    package var message: String {
        switch self {
        case .undrawn(let name):
            "--chart cannot draw \(name); it draws churn and "
                + ChartedMetric.names.joined(separator: ", ") + "."
        case .severalCurrencies:
            "Amounts in several currencies share no axis; name one with --where currency=USD, or"
                + " convert them with --rates."
        case .tooManyLines(let count):
            "A chart holds at most \(ReportChart.lineCount) lines, not \(count). Use fewer"
                + " dimensions, or select values with --where."
        }
    }
}
