public import Ledger

/// The metrics other than churn, by name.
public enum MetricName: Hashable, Sendable, CaseIterable {
    case counted(CountedMetric)
    /// Monthly recurring revenue at the end of each interval.
    case mrr
    /// Changes of it since the previous interval.
    case mrrMovement
    /// Annual recurring revenue: twelve times the monthly.
    case arr
    /// Delay of notifications.
    case lateness
    /// Payments of customers since their first purchase, less refunds.
    case ltv

    public static let allCases: [MetricName] =
        CountedMetric.allCases.map { .counted($0) } + [.mrr, .mrrMovement, .arr, .lateness, .ltv]

    public var rawValue: String {
        switch self {
        case .counted(let metric): metric.rawValue
        case .mrr: "mrr"
        case .mrrMovement: "mrr-movement"
        case .arr: "arr"
        case .lateness: "lateness"
        case .ltv: "ltv"
        }
    }

    public init(_ name: String) throws(MetricsError) {
        guard let found = MetricName.allCases.first(where: { $0.rawValue == name }) else {
            throw .unknownMetric(name)
        }
        self = found
    }

    /// Whether rows are separated by currency.
    var isMoney: Bool {
        switch self {
        case .counted(let metric): metric.isMoney
        case .mrr, .mrrMovement, .arr, .ltv: true
        case .lateness: false
        }
    }

    // MARK: Definitions

    /// The roll-forward of active chains; a metric with its own form of answer.
    public static let churn = "churn"
    static let paidChurn = "churn.paid"

    /// The version of every definition; it increases when a change affects what is counted.
    static let version = 1

    static func definition(_ name: String) -> String { "\(name)/\(version)" }

    /// All definitions.
    public static let definitions: [String] =
        ([churn, paidChurn] + allCases.map(\.rawValue)).map { definition($0) }
}
