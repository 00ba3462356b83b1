import AppStore
import Ledger

/// Our figures and the differences by other rules, summed by interval, currency and figure.
struct RuledSums: Sendable {
    let rules: [DefinitionRule]
    let figures: [CountColumn]
    /// Instants and filters; money is separate by currency.
    let question: RollForwardQuery
    /// The figures with a documented rate.
    let based: Set<String>
    /// Amounts by column of the report.
    private var cells: [Cell: [String: Int64]] = [:]
    /// Whether a sum exceeds what a report can hold; no sum is valid then.
    private(set) var isTooLarge = false

    struct Cell: Hashable, Sendable {
        var interval: Int
        var currency: String?
        var figure: String
    }

    typealias Stage = [Cell: Int64]

    init(
        _ rules: [DefinitionRule], _ figures: [CountColumn], _ question: RollForwardQuery,
        based: Set<String> = []
    ) {
        self.rules = rules
        self.figures = figures
        self.question = question
        self.based = based
    }

    // MARK: Adding

    mutating func add(_ other: RuledSums) {
        isTooLarge = isTooLarge || other.isTooLarge
        for (cell, amounts) in other.cells {
            for (column, amount) in amounts { add(amount, to: column, in: cell) }
        }
    }

    /// Omits an amount whose sum exceeds what a report can hold.
    private mutating func add(_ amount: Int64, to column: String, in cell: Cell) {
        let sum = (cells[cell]?[column] ?? 0).addingSaturated(amount)
        isTooLarge = isTooLarge || !sum.isReportable
        if sum.isReportable { cells[cell, default: [:]][column] = sum }
    }

    mutating func add(ours amount: Int64, in cell: Cell) { add(amount, to: "ours", in: cell) }

    mutating func add(base amount: Int64, in cell: Cell) {
        add(amount, to: Comparison.base.name, in: cell)
    }

    mutating func add(
        _ amount: Int64, by rule: DefinitionRule, in cell: Cell, chainCount: Int64 = 1
    ) {
        add(amount, to: rule.rawValue, in: cell)
        add(chainCount, to: Comparison.chains(rule), in: cell)
    }

    /// Adds the amounts of one chain under no rule, under the first, under the first two and so on;
    /// each rule accounts for the difference from the previous stage.
    ///
    /// - Parameter stages: nil beyond what a report can hold.
    mutating func add(_ stages: [Stage]?) {
        guard let stages else {
            isTooLarge = true
            return
        }
        for (cell, amount) in stages.first ?? [:] { add(ours: amount, in: cell) }
        for (rule, (before, after)) in zip(rules, zip(stages, stages.dropFirst())) {
            for cell in Set(before.keys).union(after.keys) {
                let moved = (after[cell] ?? 0) - (before[cell] ?? 0)
                if moved != 0 { add(moved, by: rule, in: cell) }
            }
        }
    }

    mutating func add(ours amounts: [RuledAmount]) {
        for (cell, amount) in byCell(amounts) { add(ours: amount, in: cell) }
    }

    mutating func add(base amounts: [RuledAmount]) {
        for (cell, amount) in byCell(amounts) { add(base: amount, in: cell) }
    }

    /// Adds one chain's difference by a rule, where the rule applies.
    mutating func add(by rule: DefinitionRule, _ amounts: @autoclosure () -> [RuledAmount]) {
        guard rules.contains(rule) else { return }
        for (cell, amount) in byCell(amounts()) where amount != 0 {
            add(amount, by: rule, in: cell)
        }
    }

    func byCell(_ amounts: [RuledAmount]) -> Stage {
        var sums: Stage = [:]
        for amount in amounts {
            guard let interval = question.interval(of: amount.at),
                question.matches(amount.values)
            else { continue }
            let currency = question.measure == .money ? amount.values.currency : nil
            let cell = Cell(interval: interval, currency: currency, figure: amount.figure)
            sums[cell] = (sums[cell] ?? 0).addingSaturated(amount.amount)
        }
        return sums
    }

    // MARK: Rows

    /// By interval, then currency, then figure. Counts have every figure for each interval; money
    /// has every figure for each currency with any amount.
    var rows: [Report.Row] {
        var currencies: [Int: Set<String?>] = [:]
        for cell in cells.keys { currencies[cell.interval, default: []].insert(cell.currency) }
        let instants = question.instants
        let isMoney = question.measure == .money
        return instants.indices.dropLast().flatMap { interval in
            let found = currencies[interval] ?? []
            let ordered =
                isMoney
                ? found.sorted { RollForwardQuery.precedes([$0], [$1]) } : [nil]
            return ordered.flatMap { currency in
                figures.map { figure in
                    row(Cell(interval: interval, currency: currency, figure: figure.name))
                }
            }
        }
    }

    private func row(_ cell: Cell) -> Report.Row {
        var amounts = cells[cell] ?? [:]
        amounts["theirs"] = rules.reduce(amounts["ours"] ?? 0) {
            $0 + (amounts[$1.rawValue] ?? 0)
        }
        amounts[Comparison.base.name] =
            based.contains(cell.figure) ? amounts[Comparison.base.name] ?? 0 : nil
        return Report.Row(
            from: question.instants[cell.interval], to: question.instants[cell.interval + 1],
            group: [cell.currency, cell.figure], amounts: amounts)
    }
}

/// An amount that counts in one figure at one moment.
struct RuledAmount: Hashable, Sendable {
    var at: Timestamp
    var values: DimensionValues
    var figure: String
    var amount: Int64

    init(_ figure: String, _ amount: Int64 = 1, at: Timestamp, _ values: DimensionValues) {
        self.figure = figure
        self.amount = amount
        self.at = at
        self.values = values
    }

    var negated: RuledAmount {
        var amount = self
        amount.amount = -self.amount
        return amount
    }
}
