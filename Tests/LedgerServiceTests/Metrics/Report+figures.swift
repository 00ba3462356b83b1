import Ledger
import Reports

/// The figures of a report's rows by their meaning.
extension Report.Row {
    subscript(column: RollForwardColumn) -> Int64 { self[column.name] }
    var activeStart: Int64 { self["activeStart"] }
    var activeEnd: Int64 { self["activeEnd"] }
    var churned: Int64 { self["churned.total"] }
    var isEmpty: Bool { amounts.values.allSatisfy { $0 == 0 } }

    // MARK: Comparisons

    var currency: String? { group[0] }
    var figure: String { group[1] ?? "" }
    var ours: Int64 { self["ours"] }
    var theirs: Int64 { self["theirs"] }
    var base: Int64? { amounts["base"] }

    // MARK: Differences

    var column: String { group.last.flatMap(\.self) ?? "" }
    var before: Int64 { self["before"] }
    var after: Int64 { self["after"] }
}

extension Report {
    var rules: [DefinitionRule] { comparison?.rules ?? [] }

    var comparison: Comparison? {
        guard case .comparison(let comparison) = subject else { return nil }
        return comparison
    }

    /// The amounts of the rules in one row, in their order.
    func differences(_ row: Row) -> [Int64] { rules.map { row[$0.rawValue] } }

    /// Whether every rule has a column, and ours plus all of them is theirs.
    func isBalanced(_ row: Row) -> Bool {
        Set(rules.map(\.rawValue)).isSubset(of: columns.map(\.name))
            && differences(row).reduce(row.ours, +) == row.theirs
    }
}
