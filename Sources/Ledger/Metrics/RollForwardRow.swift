public import AppStore

/// One interval `[from, to)` of a roll-forward, whole or of one group, in chains or, for money,
/// milliunits a year.
public struct RollForwardRow: Hashable, Sendable {
    public var from: Timestamp
    public var to: Timestamp
    /// The values of the requested dimensions, in their order; for money, preceded by the currency.
    public var group: [String?]
    /// Just before `from`.
    public var activeStart: Int64 = 0
    /// Just before `to`; counted independently of the columns.
    public var activeEnd: Int64 = 0
    /// The denominator of the churn rate: `activeStart`, or for a reason's group that of the group
    /// without a reason.
    public var rateBase: Int64 = 0
    /// Money: paid chains just before `to` whose price or period is unknown. They count as 0.
    public var unpricedEnd: Int64 = 0
    /// Absent columns are 0. No value is negative, except in a difference.
    public var columns: [RollForwardColumn: Int64] = [:]

    public subscript(column: RollForwardColumn) -> Int64 { columns[column] ?? 0 }

    /// Sum of all churn, over every reason.
    public var churned: Int64 {
        EndReason.allCases.reduce(0) { $0 + self[.churned($1)] }
    }

    /// The difference not explained by the columns; always 0.
    public var residue: Int64 {
        let explained = columns.reduce(activeStart) { sum, entry in
            entry.key.isGain ? sum + entry.value : sum - entry.value
        }
        return explained - activeEnd
    }

    /// Whether there was no activity.
    public var isEmpty: Bool {
        activeStart == 0 && activeEnd == 0 && unpricedEnd == 0 && columns.isEmpty
    }
}
