import AppStore
import Ledger

/// The sums of any metric, as named cells.
enum CellTable: Summable {
    /// A roll-forward of chains, or of money with the columns of a metric.
    case rollForward(RollForward, RecurringMoney?)
    case counted(CountTable)

    /// - Parameters:
    ///   - conversion: of the table's question.
    ///   - gaps: collects why amounts could not be converted.
    mutating func add(
        _ life: Lifecycle, of app: BundleId, catalogue: Catalogue, limit: Timestamp,
        _ conversion: RateConversion, _ gaps: inout Set<CurrencyRates.Gap>
    ) {
        switch self {
        case .rollForward(var sum, let money):
            guard !life.isOneTime else { return }
            let chain = ChainMetrics(life, of: app, catalogue: catalogue)
            sum.add(conversion.converted(chain, &gaps))
            self = .rollForward(sum, money)
        case .counted(var table):
            let found = life.occurrences(
                of: table.metric, in: app, catalogue: catalogue, limit: limit,
                instants: table.question.instants)
            table.add(conversion.converted(found, table.metric, &gaps))
            self = .counted(table)
        }
    }

    var question: RollForwardQuery {
        switch self {
        case .rollForward(let sum, _): sum.question
        case .counted(let table): table.question
        }
    }

    mutating func add(_ other: CellTable) {
        switch (self, other) {
        case (.rollForward(var sum, let money), .rollForward(let part, _)):
            sum.add(part)
            self = .rollForward(sum, money)
        case (.counted(var table), .counted(let part)):
            table.add(part)
            self = .counted(table)
        default: preconditionFailure("sums of two metrics are never added")
        }
    }

    /// Whether a sum exceeds what a report can hold; the rows are then meaningless.
    var isTooLarge: Bool {
        switch self {
        case .rollForward(let sum, _): sum.isTooLarge
        case .counted(let table): table.isTooLarge
        }
    }

    /// Visits the rows in their order. Each holds all its columns, so that all rows together are
    /// many times larger than the sums.
    func forEachRow(_ visit: (Report.Row) -> Void) {
        switch self {
        case .rollForward(let sum, let money):
            sum.forEachRow { row in
                visit(CellTable.row(row, money))
                return true
            }
        case .counted(let table):
            for row in table.rows() { visit(Report.Row(row)) }
        }
    }

    /// This minus another table of the same metric: a row for each interval and group in which they
    /// differ, in any order. The twelfths are those of the differences.
    func difference(from other: CellTable) -> [Report.Row] {
        switch (self, other) {
        case (.rollForward(let sum, let money), .rollForward(let part, _)):
            sum.difference(from: part).map { CellTable.row($0, money) }
        case (.counted(let table), .counted(let part)):
            table.difference(from: part).map { Report.Row($0) }
        default: preconditionFailure("tables of two metrics are never compared")
        }
    }

    static func row(_ row: RollForwardRow, _ money: RecurringMoney?) -> Report.Row {
        Report.Row(
            from: row.from, to: row.to, group: row.group,
            amounts: money?.amounts(row) ?? row.amounts)
    }

    /// The names of the values that are money.
    var moneyColumns: Set<String> { Set(columns.filter(\.isMoney).map(\.name)) }

    /// The columns of the values, in order.
    var columns: [CountColumn] {
        switch self {
        case .rollForward(let sum, let money):
            money?.columns
                ?? Report.churnColumns(isPaid: sum.question.measure == .paidChains)
        case .counted(let table): table.metric.columns
        }
    }
}
