import Ledger

/// The columns of recurring money: annual whole amounts, and a twelfth of each, rounded once.
struct RecurringMoney {
    let name: MetricName

    init(_ name: MetricName) { self.name = name }

    static let monthsOfYear: Int64 = 12

    /// Start, changes and end, in the order of a roll-forward.
    private static let movement: [String] =
        ["start"] + RollForwardColumn.all.map(\.name) + ["churned.total", "end"]

    var columns: [CountColumn] {
        switch name {
        case .arr: [.money("arr"), .count("unpriced")]
        case .mrrMovement:
            RecurringMoney.movement.map { CountColumn.money($0) }
                + RecurringMoney.movement.map { CountColumn.money("annualised.\($0)") }
                + [.money("annualised.residue"), .count("unpriced")]
        case .mrr, .churn, .counted, .lateness, .ltv:
            [.money("mrr"), .money("annualised"), .count("unpriced")]
        }
    }

    func amounts(_ row: RollForwardRow) -> [String: Int64] {
        let end = row.activeEnd
        switch name {
        case .arr: return ["arr": end, "unpriced": row.unpricedEnd]
        case .mrr, .churn, .counted, .lateness, .ltv:
            let month = RecurringMoney.month(end)
            return ["mrr": month, "annualised": end, "unpriced": row.unpricedEnd]
        case .mrrMovement: break
        }
        var years: [String: Int64] = [
            "start": row.activeStart, "churned.total": row.churned, "end": end,
        ]
        for column in RollForwardColumn.all { years[column.name] = row[column] }
        var amounts: [String: Int64] = [
            "annualised.residue": row.residue, "unpriced": row.unpricedEnd,
        ]
        for (name, year) in years {
            amounts[name] = RecurringMoney.month(year)
            amounts["annualised.\(name)"] = year
        }
        return amounts
    }

    /// The column of the twelfth of an annual amount; nil for other columns.
    static func month(of column: String) -> String? {
        if column == "annualised" { return "mrr" }
        let prefix = "annualised."
        return column.hasPrefix(prefix) ? String(column.dropFirst(prefix.count)) : nil
    }

    /// Whether a column is the twelfth of an annual amount.
    func isMonthly(_ column: CountColumn) -> Bool {
        columns.contains { RecurringMoney.month(of: $0.name) == column.name }
    }

    static func month(_ year: Int64) -> Int64 {
        HalfEven.quotient(year, RecurringMoney.monthsOfYear)
    }
}
