import Ledger
import Reports

/// The figures of a report's rows by their meaning.
extension Report.Row {
    package subscript(column: RollForwardColumn) -> Int64 { self[column.name] }
    package var activeStart: Int64 { self["activeStart"] }
    package var activeEnd: Int64 { self["activeEnd"] }
    package var churned: Int64 { self["churned.total"] }
    package var isEmpty: Bool { amounts.values.allSatisfy { $0 == 0 } }

    // MARK: Comparisons

    package var currency: String? { group[0] }
    package var figure: String { group[1] ?? "" }
    package var ours: Int64 { self["ours"] }
    package var theirs: Int64 { self["theirs"] }
    package var base: Int64? { amounts["base"] }

    // MARK: Differences

    package var column: String { group.last.flatMap(\.self) ?? "" }
    package var before: Int64 { self["before"] }
    package var after: Int64 { self["after"] }
}

extension Report {
    package var rules: [DefinitionRule] { comparison?.rules ?? [] }

    package var comparison: Comparison? {
        guard case .comparison(let comparison) = subject else { return nil }
        return comparison
    }

    /// The amounts of the rules in one row, in their order.
    package func differences(_ row: Row) -> [Int64] { rules.map { row[$0.rawValue] } }

    /// Whether every rule has a column, and ours plus all of them is theirs.
    package func isBalanced(_ row: Row) -> Bool {
        Set(rules.map(\.rawValue)).isSubset(of: columns.map(\.name))
            && differences(row).reduce(row.ours, +) == row.theirs
    }
}
