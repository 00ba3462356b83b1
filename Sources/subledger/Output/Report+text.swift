import AppStore
import Ledger
import Projection
import Reports

extension Report {
    private var isMetric: Bool { if case .metric = subject { true } else { false } }

    /// An aligned table for people.
    ///
    /// - Parameter isWide: all columns; otherwise those that fit 120 characters.
    func text(isWide: Bool = false) -> String {
        let bounds = isMetric ? ["from"] : ["from", "to"]
        let isCompared = if case .comparison = subject { true } else { false }
        let leading = rows.map { row in
            [row.from, row.to].prefix(bounds.count).map { scope.zone.label($0) }
                + row.group.map { $0 ?? (isCompared ? "" : "–") }
        }
        let names = bounds + dimensions
        var figures = names.indices.map { place in
            Figure(names[place], leading.map { $0[place] })
        }
        figures += self.figures
        if isDiff {
            let count = isWide ? .max : Report.shownEventCount
            figures.append(Figure("events", rows.map { events($0, atMost: count) }))
        }
        let all = figures.count
        if !isWide { narrow(&figures) }
        let table = TextTable(
            header: figures.map(\.heading),
            rows: rows.indices.map { row in figures.map { $0.cells[row] } }
        ).aligned(leading: isDiff ? figures.count : names.count)
        let omitted = all - figures.count
        return (stamp.lines + [""]).joined(separator: "\n") + "\n"
            + (isDiff && rows.isEmpty ? "no cell changed\n" : table)
            + (omitted > 0 ? "\(omitted.named("more column", "more columns")) with --wide\n" : "")
            + explanations.map { $0 + "\n" }.joined()
    }

    /// A column of a table for people.
    private struct Figure {
        let heading: String
        let cells: [String]
        let width: Int
        /// Where a table is too wide, columns with the least are omitted first; nil: never.
        let weight: Int64?

        init(_ heading: String, _ cells: [String], weight: Int64? = nil) {
            self.heading = heading
            self.cells = cells
            self.weight = weight
            width = TextTable.width([heading] + cells)
        }
    }

    /// Omits all details, then the columns of least weight, until a table fits. Retention is a
    /// triangle of percentages in any case.
    private func narrow(_ figures: inout [Figure]) {
        func isTooWide() -> Bool { figures.reduce(-2) { $0 + $1.width } > Report.width }
        let isTriangle =
            if case .metric(.counted(.retention), _) = subject { true } else { false }
        if isTriangle || isTooWide() { figures.removeAll { $0.weight == Report.detail } }
        while isTooWide(),
            let least = figures.indices.filter({ figures[$0].weight != nil })
                .min(by: { figures[$0].weight ?? 0 < figures[$1].weight ?? 0 })
        {
            figures.remove(at: least)
        }
    }

    /// Characters of a line that a terminal shows unwrapped.
    private static let width = 120
    /// The weight of columns that say the same as others in another form.
    private static let detail: Int64 = -1
    /// Events per cell of a difference that are listed in such a line.
    private static let shownEventCount = 4

    /// The columns and rates; those of churn and of metrics only where they have values.
    private var figures: [Figure] {
        let counts = columns.enumerated().compactMap { place, column -> Figure? in
            let sum = rows.reduce(Int64(0)) { $0.addingSaturated($1[column.name]) }
            let isEmpty = rows.allSatisfy { $0[column.name] == 0 }
            guard isAlwaysShown(column) || !isEmpty else { return nil }
            let isKept = isAlwaysShown(column) || isMetric && place == 0
            return Figure(
                // Rules are explained below the table by their names.
                isChurn || isMetric ? Report.heading(column.name) : column.name,
                rows.map { figure($0, column) },
                weight: isDetail(column) ? Report.detail : isKept ? nil : max(sum, 0))
        }
        let rated = rates.enumerated().compactMap { place, rate -> Figure? in
            let values = rows.map { rate.value($0) }
            guard isChurn || values.contains(where: { $0 != nil }) else { return nil }
            // The first are omitted last.
            return Figure(
                isChurn ? "rate" : Report.heading(rate.name),
                values.map { Report.percent($0) },
                weight: isChurn ? nil : .max - Int64(place))
        }
        return counts + rated
    }

    private func isAlwaysShown(_ column: CountColumn) -> Bool {
        guard isChurn else { return !isMetric }
        return ["activeStart", "churned.total", "activeEnd"].contains(column.name)
    }

    /// Whether the text can omit it: a rule's chains, or what a rate, average or twelfth states.
    private func isDetail(_ column: CountColumn) -> Bool {
        let name = column.name
        if isMetric, column == columns.first { return false }
        return name.hasSuffix(".chains") || name.hasPrefix("annualised.")
            || name.hasPrefix("age.") && !name.hasSuffix(".perCustomer")
            || rates.contains { !isChurn && ($0.part == name || $0.whole == name) }
    }
}
