import AppStore
package import Ledger
internal import Queries

extension Report {
    /// Comma-separated values (RFC 4180) with one column per figure.
    ///
    /// - Parameter isRaw: writes raw text (`String.csvField`).
    public func csv(isRaw: Bool = false) -> [UInt8] {
        table(inUnits: false).flatMap { $0.csvLine(isRaw: isRaw) }
    }

    /// The fields of the header and of each row.
    ///
    /// - Parameter inUnits: amounts for people, in units of their currency, instead of milliunits.
    package func table(inUnits: Bool) -> [[String]] {
        let header =
            ["from", "to"] + dimensions + columns.map(\.name)
            + rates.map { isChurn ? $0.name : "rate.\($0.name)" } + (isDiff ? ["events"] : [])
        let lines = rows.map { row in
            [row.from.rfc3339, row.to.rfc3339] + row.group.map { $0 ?? "" }
                + columns.map { inUnits && value(row, $0) != nil ? figure(row, $0) : cell(row, $0) }
                + rates.map { rate in rate.value(row).map { "\($0)" } ?? "" }
                + (isDiff ? [events(row)] : [])
        }
        return [header] + lines
    }

    package var isChurn: Bool { if case .churn = subject { true } else { false } }
    package var isDiff: Bool { if case .diff = subject { true } else { false } }

    package func cell(_ row: Row, _ column: CountColumn) -> String {
        value(row, column).map { "\($0)" } ?? ""
    }

    /// Nil for the average of no customer, and for the denominator of a product without a
    /// documented rate.
    package func value(_ row: Row, _ column: CountColumn) -> Int64? {
        if let amount = row.amounts[column.name] { return amount }
        let figure: String? = isDiff ? row.group.last ?? nil : column.name
        let isAverage = figure.map { LifetimeTable.isAverage($0) } ?? false
        return isAverage || column == Comparison.base ? nil : 0
    }

    /// The positions of the events behind a cell that differs.
    package func events(_ row: Row, atMost count: Int = .max) -> String {
        let shown = row.events.prefix(count)
        let omitted = row.events.count - shown.count + row.eventsOmitted
        return shown.map { "\($0)" }.joined(separator: " ")
            + (omitted > 0 ? " and \(omitted) more" : "")
    }
}
