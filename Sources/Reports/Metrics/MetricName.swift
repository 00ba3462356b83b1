public import Ledger

/// The metrics by name. `allCases` omits `churn`, whose answer has a form of its own.
public enum MetricName: Hashable, Sendable, CaseIterable {
    /// The roll-forward of active chains, or of paid ones.
    case churn(isPaid: Bool)
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
        case .churn: MetricName.churnName
        case .counted(let metric): metric.rawValue
        case .mrr: "mrr"
        case .mrrMovement: "mrr-movement"
        case .arr: "arr"
        case .lateness: "lateness"
        case .ltv: "ltv"
        }
    }

    /// Throws `unknownMetric`, whose message lists all names, and `also`: those that the caller
    /// takes in addition.
    public init(_ name: String, also: [String] = []) throws(MetricsError) {
        guard let found = MetricName.allCases.first(where: { $0.rawValue == name }) else {
            throw .unknownMetric(name, also: also)
        }
        self = found
    }

    /// `churn`, or the name of another metric. `isPaid` is of churn: only paid chains.
    public init(compared name: String, isPaid: Bool = false) throws(MetricsError) {
        self =
            name == MetricName.churnName
            ? .churn(isPaid: isPaid) : try MetricName(name, also: [MetricName.churnName])
    }

    /// Whether rows are separated by currency.
    var isMoney: Bool {
        switch self {
        case .counted(let metric): metric.isMoney
        case .mrr, .mrrMovement, .arr, .ltv: true
        case .churn, .lateness: false
        }
    }

    /// Whether what a chain adds depends on its own life alone, and not on how its events arrived
    /// or on the other chains of its customer.
    package var isOfLives: Bool { self != .lateness && self != .ltv }

    // MARK: Definitions

    public static let churnName = "churn"
    private static let paidChurnName = "churn.paid"

    /// The version of every definition; it increases when a change affects what is counted.
    static let version = 1

    static func definition(_ name: String) -> String { "\(name)/\(version)" }

    var definition: String {
        MetricName.definition(self == .churn(isPaid: true) ? MetricName.paidChurnName : rawValue)
    }

    /// All definitions.
    public static let definitions: [String] =
        ([churnName, paidChurnName] + allCases.map(\.rawValue)).map { definition($0) }
}
