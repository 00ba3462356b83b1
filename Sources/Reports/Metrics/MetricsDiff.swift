public import AppStore
import Ledger
internal import Projection

/// The difference between two states of knowledge (`metrics.md`, "Restatement"): the cells that
/// changed, and the events that changed them.
public struct MetricsDiff: Sendable {
    /// Stamp of the later knowledge.
    public let stamp: MetricsStamp
    let dimensions: [String]
    let before: AsOf
    let after: AsOf
    let zone: ReportZone
    public let cells: [Cell]

    public struct Cell: Sendable, Hashable {
        public let from: Timestamp
        public let to: Timestamp
        public let group: [String?]
        public let column: String
        public let before: Int64
        public let after: Int64
        /// Positions of the events that changed their chain's contribution to the cell, ascending;
        /// at most `MetricsDiff.eventCount`.
        public let events: [Int64]
        public let eventsOmitted: Int
    }

    /// Maximum number of events listed for one cell.
    public static let eventCount = 100
    /// Maximum number of steps in which a chain moves from one knowledge to the other. With more
    /// new events, one step takes several, which are then reported together.
    public static let stepCount = 64
    /// Maximum number of cells in one answer.
    public static let cellCount = 10_000

    /// - Parameter isStamped: without it an answer stays the same until its content changes.
    public func write(to json: inout JSONWriter, isStamped: Bool = true) {
        json.object { json in
            stamp.write(to: &json, isStamped: isStamped)
            json.object("before") { json in before.write(to: &json) }
            json.object("after") { json in after.write(to: &json) }
            json.array("cells", cells) { json, cell in
                json.object { json in
                    json.member("from", cell.from)
                    json.member("to", cell.to)
                    json.object("group", dimensions.isEmpty ? nil : cell.group) { json, values in
                        for (dimension, value) in zip(dimensions, values) {
                            json.member(dimension, value)
                        }
                    }
                    json.member("column", cell.column)
                    json.member("before", cell.before)
                    json.member("after", cell.after)
                    json.array("events", cell.events)
                    json.member("eventsOmitted", cell.eventsOmitted)
                }
            }
        }
    }

    /// A table: `text` aligned for people, or comma-separated.
    public func table(_ form: TextTable.Form) -> [UInt8] {
        let header = ["from", "to"] + dimensions + ["column", "before", "after", "events"]
        let rows = cells.map { cell in
            let more = cell.eventsOmitted > 0 ? " and \(cell.eventsOmitted) more" : ""
            let bounds =
                form != .text
                ? [cell.from.rfc3339, cell.to.rfc3339]
                : [zone.label(cell.from), zone.label(cell.to)]
            return bounds + cell.group.map { $0 ?? (form == .text ? "–" : "") }
                + [
                    cell.column, "\(cell.before)", "\(cell.after)",
                    cell.events.map { "\($0)" }.joined(separator: " ") + more,
                ]
        }
        let table = TextTable(header: header, rows: rows)
        switch form {
        case .csv, .rawCSV: return table.csv(isRaw: form == .rawCSV)
        case .text:
            let reported =
                cells.isEmpty ? "no cell changed\n" : table.aligned(leading: header.count)
            return Array(((stamp.lines + [""]).joined(separator: "\n") + "\n" + reported).utf8)
        }
    }
}

extension AsOf {
    /// `{"knownAt":…,"knownPosition":…}`; both null for everything.
    fileprivate func write(to json: inout JSONWriter) {
        json.member("knownAt", knownAt)
        var position: Int64?
        if case .knownPosition(let known) = self { position = known }
        json.member("knownPosition", position)
    }
}
