import AppStore
import Ledger

/// The sums of any metric, as named cells.
enum CellTable: Summable {
    case rollForward(RollForward)
    case counted(CountTable)

    /// - Parameters:
    ///   - conversion: of the table's question.
    ///   - gaps: collects why amounts could not be converted.
    mutating func add(
        _ life: Lifecycle, of app: BundleId, catalogue: Catalogue, limit: Timestamp,
        _ conversion: RateConversion, _ gaps: inout Set<CurrencyRates.Gap>
    ) {
        switch self {
        case .rollForward(var sum):
            guard !life.isOneTime else { return }
            let chain = ChainMetrics(life, of: app, catalogue: catalogue)
            sum.add(conversion.converted(chain, &gaps))
            self = .rollForward(sum)
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
        case .rollForward(let sum): sum.question
        case .counted(let table): table.question
        }
    }

    mutating func add(_ other: CellTable) {
        switch (self, other) {
        case (.rollForward(var sum), .rollForward(let part)):
            sum.add(part)
            self = .rollForward(sum)
        case (.counted(var table), .counted(let part)):
            table.add(part)
            self = .counted(table)
        default: preconditionFailure("sums of two metrics are never added")
        }
    }

    /// Whether a sum exceeds what a report can hold; the rows are then meaningless.
    var isTooLarge: Bool {
        switch self {
        case .rollForward(let sum): sum.isTooLarge
        case .counted(let table): table.isTooLarge
        }
    }

    func rows() -> [Report.Row] {
        switch self {
        case .rollForward(let sum):
            sum.rows().map {
                Report.Row(from: $0.from, to: $0.to, group: $0.group, amounts: $0.amounts)
            }
        case .counted(let table): table.rows().map { Report.Row($0) }
        }
    }

    /// The names of the values that are money.
    var moneyColumns: Set<String> {
        switch self {
        case .rollForward(let sum): sum.question.measure == .money ? Set(columns) : []
        case .counted(let table): Set(table.metric.columns.filter(\.isMoney).map(\.name))
        }
    }

    /// The names of the values, in order.
    var columns: [String] {
        switch self {
        case .rollForward:
            ["activeStart"] + RollForwardColumn.all.map(\.name) + ["activeEnd"]
        case .counted(let table): table.metric.columns.map(\.name)
        }
    }
}
