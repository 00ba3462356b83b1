public import AppStore

/// One interval `[from, to)` of a roll-forward, whole or of one group. Chains, or for money a year's
/// milliunits.
public struct RollForwardRow: Hashable, Sendable {
    public var from: Timestamp
    public var to: Timestamp
    /// The values of the dimensions asked for, in their order; for money the currency comes first.
    public var group: [String?]
    /// Just before `from`.
    public var activeStart: Int64 = 0
    /// Just before `to`; counted on its own, not from the columns.
    public var activeEnd: Int64 = 0
    /// What those who left are a part of: `activeStart`, or for a group of a reason that of the
    /// group it is a part of.
    public var rateBase: Int64 = 0
    /// Money: paid chains just before `to` whose price or period is unknown. They count as nothing.
    public var unpricedEnd: Int64 = 0
    /// What is not listed is 0. No value is negative.
    public var columns: [RollForwardColumn: Int64] = [:]

    init(from: Timestamp, to: Timestamp, group: [String?]) {
        self.from = from
        self.to = to
        self.group = group
    }

    public subscript(column: RollForwardColumn) -> Int64 { columns[column] ?? 0 }

    /// All that left because access ended, whatever the reason.
    public var churned: Int64 {
        EndReason.allCases.reduce(0) { $0 + self[.churned($1)] }
    }

    /// What the columns do not explain: 0, always.
    public var residue: Int64 {
        let explained = columns.reduce(activeStart) { sum, entry in
            entry.key.isGain ? sum + entry.value : sum - entry.value
        }
        return explained - activeEnd
    }

    /// Whether nothing was active and nothing happened.
    public var isEmpty: Bool {
        activeStart == 0 && activeEnd == 0 && unpricedEnd == 0 && columns.isEmpty
    }
}
