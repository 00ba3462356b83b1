/// Metrics that are sums of occurrences: each belongs to the interval of one moment and to one
/// group, and adds to some columns (`Metrics.md`). Raw values are part of the contract.
public enum CountedMetric: String, Sendable, CaseIterable {
    /// Chains active just before the end of each interval.
    case active
    /// First periods of chains.
    case starts
    /// Trials by start day, and their outcomes.
    case trials
    /// Paid renewals.
    case renewals
    /// Chains won back, by the length of their absence.
    case reactivations
    /// Failed renewals by the day grace or retry began, and how many were recovered.
    case recoveries
    /// Auto-renew turned off and on, by the time within the period.
    case autoRenew = "auto-renew"
    /// Upgrades, downgrades, crossgrades.
    case productChanges = "product-changes"
    /// Refunds by the day of the refund.
    case refunds
    /// The same by the day of the purchase.
    case refundsByPurchase = "refunds-by-purchase"
    /// Gross by the day of the purchase, and refunds.
    case revenue
    /// An estimate of what Apple pays out.
    case proceeds
    /// Chains by the first paid period, and the number of periods reached.
    case retention

    /// The columns, in order.
    public var columns: [CountColumn] {
        switch self {
        case .active: ["active", "activePaid", "setToCancel"].map { .count($0) }
        case .starts: [.count("starts"), .count("trialStarts"), .count("paidStarts")]
        case .trials:
            [.count("trials"), .count("ended"), .count("converted"), .count("pending")]
        case .renewals: [.count("renewals"), .count("recovered"), .count("unpriced")]
        case .reactivations:
            [.count("reactivated")] + DayBucket.away.map { .count("away.\($0.name)") }
        case .recoveries:
            RecoveryColumns.columns("grace") + RecoveryColumns.columns("billingRetry")
        case .autoRenew:
            ["off", "on"].flatMap { side -> [CountColumn] in
                let names = DayBucket.timing.map(\.name)
                let before = names.map { "\(side).beforeEnd.\($0)" }
                let after = names.map { "\(side).afterStart.\($0)" }
                return ([side] + before + ["\(side).afterEnd"] + after).map { .count($0) }
            }
        case .productChanges:
            ["upgraded", "downgraded", "crossgraded", "toLonger", "toShorter"].map { .count($0) }
        case .refunds:
            [
                .count("refunds"), .money("refunded"), .count("reversals"), .money("reversed"),
                .count("upgradeCredits"), .count("unpriced"),
            ]
        case .refundsByPurchase:
            [
                .count("transactions"), .money("gross"), .count("refunds"), .money("refunded"),
                .count("unpriced"),
            ]
        case .revenue:
            [
                .count("transactions"), .money("gross"), .money("refunded"), .money("reversed"),
                .count("unpriced"),
            ]
        case .proceeds:
            [
                .count("transactions"), .money("gross"), .count("atHigherRate"),
                .count("underProgram"), .money("proceeds"), .count("unpriced"),
            ]
        case .retention:
            [.count("cohort")]
                + (2...MetricSteps.count).flatMap { step in
                    [CountColumn.count("step.\(step).reached"), .count("step.\(step).chance")]
                }
        }
    }

    /// Ratios of columns that the answer includes.
    public var rates: [CountRate] {
        switch self {
        case .trials: [CountRate("conversion", "converted", of: "ended")]
        case .recoveries:
            ["grace", "billingRetry"].flatMap { kind in
                [CountRate("\(kind).recovered", "\(kind).recovered", of: "\(kind).entered")]
                    + RecoveryColumns.days.map {
                        CountRate(
                            "\(kind).within\($0)", "\(kind).within\($0)", of: "\(kind).entered")
                    }
            }
        case .refundsByPurchase: [CountRate("refundRate", "refunds", of: "transactions")]
        case .retention:
            (2...MetricSteps.count).map {
                CountRate("step.\($0)", "step.\($0).reached", of: "step.\($0).chance")
            }
        default: []
        }
    }

    /// Whether rows are separated by currency.
    public var isMoney: Bool { columns.contains { $0.unit == .milliunits } }
}

/// One column of a counted metric.
public struct CountColumn: Hashable, Sendable {
    public enum Unit: String, Sendable {
        case count
        /// In the row's currency.
        case milliunits
        /// Per year, in the row's currency.
        case annualisedMilliunits
        case milliseconds
    }

    public let name: String
    public let unit: Unit

    public init(name: String, unit: Unit) {
        self.name = name
        self.unit = unit
    }

    package static func count(_ name: String) -> CountColumn {
        CountColumn(name: name, unit: .count)
    }
    package static func money(_ name: String) -> CountColumn {
        CountColumn(name: name, unit: .milliunits)
    }
}

/// The ratio of one column to another.
public struct CountRate: Hashable, Sendable {
    public let name: String
    public let part: String
    public let whole: String

    package init(_ name: String, _ part: String, of whole: String) {
        self.name = name
        self.part = part
        self.whole = whole
    }
}

/// Limits of retention.
public enum MetricSteps {
    /// Paid periods: two years of monthly ones.
    public static let count = 24
}

/// The columns of each kind of failed renewal.
enum RecoveryColumns {
    /// Days since the start of grace or retry.
    static let days: [Int64] = [3, 7, 14, 30, 60]

    static func columns(_ kind: String) -> [CountColumn] {
        [.count("\(kind).entered"), .count("\(kind).recovered"), .count("\(kind).open")]
            + days.map { .count("\(kind).within\($0)") }
    }
}
