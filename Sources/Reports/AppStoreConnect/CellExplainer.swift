import AppStore
import Ledger
internal import Projection

/// Divides the difference between Apple's number and ours in each cell into its causes: first what
/// is computed, then what is attributed, one cause after another; the rest is unexplained.
struct CellExplainer {
    let table: SalesReportTable
    let ledger: ComparedCells
    /// The window in which everything Apple sent is stored; nil: there is none.
    let complete: CompleteWindow?

    private struct Draft {
        let apple: Int64
        let side: ComparedCells.Side
        var rest: Int64
        var parts: [Explanation] = []

        mutating func add(
            _ cause: Explanation.Cause, _ amount: Int64, _ gap: Explanation.Gap? = nil,
            of chains: ComparedCells.Count? = nil
        ) {
            guard amount != 0 else { return }
            parts.append(Explanation(cause, amount, gap, chains ?? side.causes[cause]))
            rest -= amount
        }

        /// Adds the amount by which Apple's rule changes our number.
        mutating func compute(_ cause: Explanation.Cause) {
            add(cause, side.causes[cause]?.amount ?? 0)
        }

        /// Adds the whole rest. A negative rest lists our chains of the cell.
        mutating func addRest(_ cause: Explanation.Cause, _ gap: Explanation.Gap? = nil) {
            add(cause, rest, gap, of: rest < 0 ? side.inAppleDays : nil)
        }

        /// Adds as much of the rest as the chains of a cause can account for.
        mutating func attribute(_ cause: Explanation.Cause) {
            guard let count = side.causes[cause]?.amount else { return }
            add(cause, count > 0 ? min(max(rest, 0), count) : max(min(rest, 0), count))
        }
    }

    /// The cells in which Apple or we count anything, in order; without those of malformed rows.
    func cells() -> [ExplainedCell] {
        var drafts: [SalesReportTable.Cell: Draft] = [:]
        let found = Set(table.cells.map(\.key)).union(ledger.sides.map(\.key))
            .subtracting(table.unread)
        // A malformed row may hold the excess of the cell without a country: left out, too.
        let open = Set(table.unread.map { $0.with(country: "") })
        for cell in found {
            let apple = table.cells[cell]?.amount ?? 0
            let side = ledger.sides[cell] ?? ComparedCells.Side()
            guard
                apple != 0 || side.ours != 0 || (side.causes[.day]?.amount ?? 0) != 0
                    || table.earlier[cell] != nil
            else { continue }
            drafts[cell] = computed(cell, apple, side)
        }
        for cell in drafts.map(\.key) { matchTrials(cell, &drafts) }
        for (unplaced, cells) in Dictionary(grouping: drafts.keys, by: { $0.with(country: "") }) {
            matchCountries(unplaced, in: cells.sorted(by: CellExplainer.precedes), &drafts)
        }
        return drafts.map(\.key).sorted(by: CellExplainer.precedes).compactMap {
            cell -> ExplainedCell? in
            guard var draft = drafts[cell], !open.contains(cell) else { return nil }
            draft.attribute(.familySharing)
            draft.attribute(.missingHistory)
            let gap = gap(cell.day)
            draft.addRest(gap == nil ? .unexplained : .incomplete, gap)
            return ExplainedCell(
                cell: cell, apple: draft.apple, ours: draft.side.ours,
                earlier: table.earlier[cell], explanations: draft.parts,
                prices: prices(cell, draft.side), proceeds: proceeds(cell, draft.side))
        }
    }

    private func computed(
        _ cell: SalesReportTable.Cell, _ apple: Int64, _ side: ComparedCells.Side
    ) -> Draft {
        var draft = Draft(apple: apple, side: side, rest: apple - side.ours)
        draft.compute(.day)
        draft.compute(.trialConversions)
        draft.compute(.renewalAfterLoss)
        if !ledger.known.contains(cell.product) {
            draft.addRest(
                ledger.oneTime.contains(cell.product) ? .oneTimeProduct : .unknownProduct)
        } else if ComparedCells.end(of: cell.day, in: ledger.pacific) >= ledger.limit {
            draft.addRest(.afterKnowledge)
        }
        draft.attribute(.gracePeriod)
        return draft
    }

    /// Why the evidence of a day may be incomplete; nil where it is complete.
    private func gap(_ day: CivilDate) -> Explanation.Gap? {
        guard let complete else { return .notSwept }
        let first = ledger.pacific.start(of: day)
            .advanced(byMilliseconds: -ReportExplanation.earlySigningMilliseconds)
        guard first >= complete.from else { return .beforeCompleteFrom }
        let last = ComparedCells.end(of: day, in: ledger.pacific)
        return last < complete.through ? nil : .afterCompleteThrough
    }

    /// Matches what is missing in paid with the excess in free, or the reverse; lists our chains of
    /// the cell with the excess.
    private func matchTrials(
        _ paid: SalesReportTable.Cell, _ drafts: inout [SalesReportTable.Cell: Draft]
    ) {
        let free: SalesReportTable.Cell
        switch paid.figure {
        case .activePaid: free = paid.with(.trials)
        case .purchases: free = paid.with(.freePeriods)
        default: return
        }
        guard let one = drafts[paid], let other = drafts[free],
            one.rest.signum() * other.rest.signum() < 0
        else { return }
        let amount =
            Int64(clamping: min(one.rest.magnitude, other.rest.magnitude)) * one.rest.signum()
        let chains = (amount < 0 ? one : other).side.inAppleDays
        drafts[paid]?.add(.trials, amount, of: chains)
        drafts[free]?.add(.trials, -amount, of: chains)
    }

    /// Matches our excess in the cell without a country with what is missing in those of countries.
    private func matchCountries(
        _ unplaced: SalesReportTable.Cell, in cells: [SalesReportTable.Cell],
        _ drafts: inout [SalesReportTable.Cell: Draft]
    ) {
        for cell in cells where cell != unplaced {
            guard let left = drafts[unplaced], left.rest < 0, let rest = drafts[cell]?.rest,
                rest > 0
            else { continue }
            let (amount, chains) = (min(rest, -left.rest), left.side.inAppleDays)
            drafts[cell]?.add(.unknownCountry, amount, of: chains)
            drafts[unplaced]?.add(.unknownCountry, -amount, of: chains)
        }
    }

    private func prices(
        _ cell: SalesReportTable.Cell, _ side: ComparedCells.Side
    ) -> [ExplainedCell.PriceDifference] {
        guard let stated = table.cells[cell]?.prices else { return [] }
        return Set(stated.map(\.key)).union(side.prices.map(\.key)).compactMap {
            price -> ExplainedCell.PriceDifference? in
            let (apple, ours) = (stated[price] ?? 0, side.prices[price])
            guard apple != ours?.amount ?? 0 else { return nil }
            return ExplainedCell.PriceDifference(
                price: price, apple: apple, ours: ours?.amount ?? 0, chains: ours?.chains ?? [])
        }.sorted {
            ($0.price.currency, $0.price.milliunits) < ($1.price.currency, $1.price.milliunits)
        }
    }

    /// Empty where the report does not state them.
    private func proceeds(
        _ cell: SalesReportTable.Cell, _ side: ComparedCells.Side
    ) -> [ExplainedCell.Proceeds] {
        guard let stated = table.cells[cell]?.proceeds, !stated.isEmpty else { return [] }
        return Set(stated.map(\.key)).union(side.proceeds.map(\.key)).sorted().map {
            ExplainedCell.Proceeds(
                currency: $0, apple: stated[$0] ?? 0,
                estimate: cell.figure == .purchases ? side.proceeds[$0] ?? 0 : nil)
        }
    }

    /// By report, day, product, country and figure.
    private static func precedes(
        _ left: SalesReportTable.Cell, _ right: SalesReportTable.Cell
    ) -> Bool {
        if left.kind != right.kind {
            return place(left.kind, SalesReport.Kind.allCases)
                < place(right.kind, SalesReport.Kind.allCases)
        }
        if left.day != right.day { return left.day.daysSinceEpoch < right.day.daysSinceEpoch }
        if left.product != right.product { return left.product < right.product }
        if left.country != right.country { return left.country < right.country }
        return place(left.figure, SalesReport.Figure.allCases)
            < place(right.figure, SalesReport.Figure.allCases)
    }

    private static func place<Value: Equatable>(_ value: Value, _ all: [Value]) -> Int {
        all.firstIndex(of: value) ?? all.count
    }
}
