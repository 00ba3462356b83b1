import AppStore
import Ledger

/// Our figures and the differences by other rules, summed by interval, currency and figure.
struct RuledSums: Sendable {
    let rules: [DefinitionRule]
    let figures: [ComparedFigure]
    /// Instants and filters; money is separate by currency.
    let question: RollForwardQuestion
    /// The figures with a documented rate.
    let based: Set<String>
    private(set) var cells: [Cell: Sums] = [:]
    /// Whether a sum exceeds what a report can hold; no sum is valid then.
    private(set) var isTooLarge = false

    struct Cell: Hashable, Sendable {
        var interval: Int
        var currency: String?
        var figure: String
    }

    struct Sums: Hashable, Sendable {
        var ours: Int64 = 0
        var base: Int64 = 0
        var moved: [DefinitionRule: Moved] = [:]
    }

    struct Moved: Hashable, Sendable {
        var amount: Int64 = 0
        var chainCount: Int64 = 0
    }

    init(
        _ rules: [DefinitionRule], _ figures: [ComparedFigure], _ question: RollForwardQuestion,
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
        for (cell, sums) in other.cells {
            add(ours: sums.ours, in: cell)
            add(base: sums.base, in: cell)
            for (rule, moved) in sums.moved {
                add(moved.amount, by: rule, in: cell, chainCount: moved.chainCount)
            }
        }
    }

    mutating func add(ours amount: Int64, in cell: Cell) {
        let isBounded = RuledSums.add(amount, to: &cells[cell, default: Sums()].ours)
        isTooLarge = isTooLarge || !isBounded
    }

    private mutating func add(base amount: Int64, in cell: Cell) {
        let isBounded = RuledSums.add(amount, to: &cells[cell, default: Sums()].base)
        isTooLarge = isTooLarge || !isBounded
    }

    /// False, without adding, if the sum exceeds what a report can hold.
    private static func add(_ amount: Int64, to sum: inout Int64) -> Bool {
        let more = sum.addingSaturated(amount)
        guard more.isReportable else { return false }
        sum = more
        return true
    }

    /// - Parameter chainCount: the number of affected chains.
    mutating func add(
        _ amount: Int64, by rule: DefinitionRule, in cell: Cell, chainCount: Int64 = 1
    ) {
        let isBounded = RuledSums.add(
            amount, to: &cells[cell, default: Sums()].moved[rule, default: Moved()].amount)
        isTooLarge = isTooLarge || !isBounded
        cells[cell, default: Sums()].moved[rule, default: Moved()].chainCount += chainCount
    }

    /// Adds one chain.
    mutating func add(_ reading: RuledReading) {
        for (cell, amount) in byCell(reading.ours) { add(ours: amount, in: cell) }
        for (cell, amount) in byCell(reading.base) { add(base: amount, in: cell) }
        for (rule, amounts) in reading.moved {
            for (cell, amount) in byCell(amounts) where amount != 0 {
                add(amount, by: rule, in: cell)
            }
        }
    }

    private func byCell(_ amounts: [RuledAmount]) -> [Cell: Int64] {
        var sums: [Cell: Int64] = [:]
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
    var rows: [ComparisonReport.Row] {
        var currencies: [Int: Set<String?>] = [:]
        for cell in cells.keys { currencies[cell.interval, default: []].insert(cell.currency) }
        let instants = question.instants
        let isMoney = question.measure == .money
        return instants.indices.dropLast().flatMap { interval in
            let found = currencies[interval] ?? []
            let ordered =
                isMoney
                ? found.sorted { RollForwardQuestion.precedes([$0], [$1]) } : [nil]
            return ordered.flatMap { currency in
                figures.map { figure in
                    let cell = Cell(interval: interval, currency: currency, figure: figure.name)
                    return row(cells[cell] ?? Sums(), cell)
                }
            }
        }
    }

    private func row(_ sums: Sums, _ cell: Cell) -> ComparisonReport.Row {
        ComparisonReport.Row(
            from: question.instants[cell.interval], to: question.instants[cell.interval + 1],
            currency: cell.currency, figure: cell.figure, ours: sums.ours,
            differences: rules.map { rule in
                let moved = sums.moved[rule] ?? Moved()
                return ComparisonReport.Difference(
                    rule: rule, amount: moved.amount, chainCount: moved.chainCount)
            },
            base: based.contains(cell.figure) ? sums.base : nil)
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

/// The contribution of one chain to our figures, and the difference by each rule.
struct RuledReading: Hashable, Sendable {
    var ours: [RuledAmount] = []
    var moved: [DefinitionRule: [RuledAmount]] = [:]
    /// The denominator of the product's rate.
    var base: [RuledAmount] = []

    /// Adds readings under no rule, under the first, under the first two and so on; each rule
    /// accounts for the difference from the previous reading.
    mutating func add(_ readings: [[RuledAmount]], _ rules: [DefinitionRule]) {
        ours += readings.first ?? []
        for (rule, pair) in zip(rules, zip(readings, readings.dropFirst())) {
            moved[rule, default: []] += pair.1 + pair.0.map(\.negated)
        }
    }
}
