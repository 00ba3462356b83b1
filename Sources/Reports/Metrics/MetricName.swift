public import Ledger

/// The metrics beside churn, by the names they are asked for.
public enum MetricName: Hashable, Sendable, CaseIterable {
    case counted(CountedMetric)
    /// Monthly recurring revenue at the end of each interval.
    case mrr
    /// How it came there from the interval before.
    case mrrMovement
    /// Twelve times as much.
    case arr
    /// How long notifications took to arrive.
    case lateness
    /// What customers paid since their first purchase, less refunds.
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

    // MARK: Definitions

    /// The roll-forward of active chains; a metric with an answer of its own form.
    public static let churn = "churn"
    static let paidChurn = "churn.paid"

    /// The version of every definition: it rises when what is counted would change.
    static let version = 1

    static func definition(_ name: String) -> String { "\(name)/\(version)" }

    /// Every definition there is.
    public static let definitions: [String] =
        ([churn, paidChurn] + allCases.map(\.rawValue)).map { definition($0) }
}
