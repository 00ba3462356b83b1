public import AppStore
import Ledger
internal import Projection

/// The answer of any metric but churn: named columns and rows of values.
public struct MetricReport: Sendable {
    public let stamp: MetricsStamp
    /// The dimensions of the rows' groups; for money the first is the currency.
    let dimensions: [String]
    public let columns: [CountColumn]
    let rates: [CountRate]
    let zone: ReportZone
    /// The bounds of the requested intervals; with groups, empty intervals have no row.
    let instants: [Timestamp]
    public let rows: [Row]
    /// For lateness only.
    public var outages: [SuspectedOutage]?

    public struct Row: Sendable, Hashable {
        public let from: Timestamp
        public let to: Timestamp
        /// One per dimension.
        public let group: [String?]
        /// Absent columns are 0.
        public let amounts: [String: Int64]
    }

    // MARK: JSON

    /// - Parameter isStamped: without its stamp an answer stays byte-identical until its content
    ///   changes.
    public func write(to json: inout JSONWriter, isStamped: Bool = true) {
        json.object { json in
            stamp.write(to: &json, isStamped: isStamped)
            json.array("columns", columns) { json, column in
                json.object { json in
                    json.member("name", column.name)
                    json.member("unit", column.unit.rawValue)
                }
            }
            json.array("rows", rows) { json, row in write(row, to: &json) }
            if let outages {
                json.array("suspectedOutages", outages) { json, outage in outage.write(to: &json) }
            }
        }
    }

    private func write(_ row: Row, to json: inout JSONWriter) {
        json.object { json in
            json.member("from", row.from)
            json.member("to", row.to)
            json.object("group", dimensions.isEmpty ? nil : row.group) { json, values in
                for (dimension, value) in zip(dimensions, values) {
                    json.member(dimension, value)
                }
            }
            json.object("values") { json in
                for column in columns {
                    let amount = row.amounts[column.name] ?? 0
                    switch column.unit {
                    case .count, .milliseconds: json.member(column.name, amount)
                    case .milliunits:
                        json.object(column.name) { json in
                            json.member("milliunits", amount)
                            json.member("currency", row.group.first ?? nil)
                        }
                    }
                }
            }
            json.object("rates") { json in
                for rate in rates { json.member(rate.name, rate.value(row)) }
            }
        }
    }

    // MARK: Tables

    /// A table: `text` aligned for people, or comma-separated with one column per figure.
    public func table(_ form: TextTable.Form) -> [UInt8] {
        switch form {
        case .csv, .rawCSV:
            TextTable(header: header, rows: rows.map { cells($0) }).csv(isRaw: form == .rawCSV)
        case .text: Array(text.utf8)
        }
    }

    private var header: [String] {
        ["from", "to"] + dimensions + columns.map(\.name) + rates.map { "rate.\($0.name)" }
    }

    private func cells(_ row: Row) -> [String] {
        [row.from.rfc3339, row.to.rfc3339] + row.group.map { $0 ?? "" }
            + columns.map { "\(row.amounts[$0.name] ?? 0)" }
            + rates.map { rate in rate.value(row).map { "\($0)" } ?? "" }
    }

    /// Omits columns without values.
    private var text: String {
        let reported = columns.filter { column in
            rows.contains { $0.amounts[column.name] ?? 0 != 0 }
        }
        let rated = rates.filter { rate in rows.contains { rate.value($0) != nil } }
        let cells = rows.map { row in
            [zone.label(row.from)] + row.group.map { $0 ?? "–" }
                + reported.map { column in
                    let amount = row.amounts[column.name] ?? 0
                    return column.unit == .milliunits
                        ? TextTable.money(amount) : "\(amount)"
                } + rated.map { TextTable.percent($0.value(row)) }
        }
        let table = TextTable(
            header: ["from"] + dimensions + reported.map(\.name) + rated.map { "\($0.name) %" },
            rows: cells)
        return (stamp.lines + [""]).joined(separator: "\n") + "\n"
            + table.aligned(leading: 1 + dimensions.count)
            + (outages ?? []).map { $0.line + "\n" }.joined()
    }
}

extension CountRate {
    /// Nil when the whole is 0.
    func value(_ row: MetricReport.Row) -> Double? {
        guard let whole = row.amounts[whole], whole > 0 else { return nil }
        return Double(row.amounts[part] ?? 0) / Double(whole)
    }
}
