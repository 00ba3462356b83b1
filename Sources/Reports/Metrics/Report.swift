public import AppStore
public import Ledger

/// The answer to a metrics query (`Contract.md`): figures by interval and group, and the definition
/// and knowledge they were counted under.
public struct Report: Sendable {
    public let stamp: MetricsStamp
    public let subject: Subject
    /// With groups, its empty intervals have no row.
    package let scope: MetricScope
    /// Names of the values of a row's group; for money the first is the currency.
    package let dimensions: [String]
    public let columns: [CountColumn]
    package var rates: [CountRate] = []
    public let rows: [Row]
    /// Of a difference: the compared columns that are money.
    package var moneyColumns: Set<String> = []
    /// The source of a roll-forward's rows; the answer does not depend on it.
    package var source: MovementSource?

    /// What is reported; the shape of the JSON and the remarks below a table depend on it.
    public enum Subject: Sendable {
        /// A roll-forward.
        ///
        /// - activeStarts: at the start of each interval, all groups together.
        case churn(RollForwardQuery, activeStarts: [Int64])
        /// - outages: for lateness only.
        case metric(MetricName, outages: [SuspectedOutage]? = nil)
        /// A metric under our definition and another product's.
        case comparison(Comparison)
        /// The cells that differ between two states of knowledge, with the events that changed
        /// them (`Contract.md`, `metrics diff`).
        case diff(before: AsOf, after: AsOf)
    }

    /// One interval `[from, to)`, whole or of one group.
    public struct Row: Sendable, Hashable {
        public let from: Timestamp
        public let to: Timestamp
        /// One value per dimension.
        public let group: [String?]
        /// Absent columns are 0, or have no value (`Report.value`).
        public let amounts: [String: Int64]
        /// For a difference: positions of the events that changed their chain's contribution to
        /// the cell, ascending; at most `MetricsLimits.eventCount`.
        public var events: [Int64] = []
        public var eventsOmitted = 0

        public subscript(column: String) -> Int64 { amounts[column] ?? 0 }
    }
}

extension CountRate {
    /// Nil when the whole is 0.
    package func value(_ row: Report.Row) -> Double? {
        let whole = row[whole]
        return whole > 0 ? Double(row[part]) / Double(whole) : nil
    }
}

// MARK: Roll-forwards

extension RollForwardColumn {
    /// The contract's key.
    package var name: String {
        switch self {
        case .gained(let gain): gain.rawValue
        case .converted: "converted"
        case .expansion: "expansion"
        case .movedIn: "movedIn"
        case .movedOut: "movedOut"
        case .toFree: "toFree"
        case .contraction: "contraction"
        case .churned(let reason): "churned.\(reason.rawValue)"
        }
    }
}

extension Report {
    /// The columns of a roll-forward of chains, in the contract's order.
    static func churnColumns(isPaid: Bool) -> [CountColumn] {
        let gains = Gain.allCases.map { RollForwardColumn.gained($0) }
        let moves: [RollForwardColumn] =
            (isPaid ? [.converted] : []) + [.movedIn, .movedOut] + (isPaid ? [.toFree] : [])
        let losses = EndReason.allCases.map { RollForwardColumn.churned($0) }
        return
            (["activeStart"] + (gains + moves + losses).map(\.name)
            + ["churned.total", "activeEnd", "residue"]).map { .count($0) }
    }

    /// Of the columns of churn by reason.
    static let lossPrefix = "churned."

    /// The churned share of the chains active at the start.
    static let churnRate = CountRate("churnRate", "churned.total", of: "rateBase")
}

extension RollForwardRow {
    /// The balanced amounts and the sum of all churn; absent columns are 0.
    var amounts: [String: Int64] {
        var amounts = [
            "activeStart": activeStart, "churned.total": churned, "activeEnd": activeEnd,
        ]
        for (column, amount) in columns { amounts[column.name] = amount }
        return amounts
    }
}

extension [Report.Row] {
    /// A remark if their amounts are in several currencies.
    var currencyRemarks: [MetricsRemark] {
        Set(compactMap { $0.group.first ?? nil }).count > 1 ? [.severalCurrencies] : []
    }
}

extension Report.Row {
    init(_ row: CountTable.Row) {
        self.init(from: row.from, to: row.to, group: row.group, amounts: row.amounts)
    }
}
