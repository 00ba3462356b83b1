public import AppStore
import Ledger

extension Report: JSONObjectWritable {
    public func writeMembers(to json: inout JSONWriter) {
        stamp.write(to: &json)
        switch subject {
        case .churn:
            let losses = columns.filter { $0.name.hasPrefix(Report.lossPrefix) }
            let others = columns.filter { !$0.name.hasPrefix(Report.lossPrefix) }
            json.array("rows", rows) { json, row in
                object(row, to: &json) { json in
                    for column in others.dropLast(2) { write(column, row, to: &json) }
                    json.object("churned") { json in
                        for column in losses { write(column, row, to: &json) }
                    }
                    for column in others.suffix(2) { write(column, row, to: &json) }
                    for rate in rates { json.member(rate.name, rate.value(row)) }
                }
            }
        case .metric(_, let outages):
            Report.write(columns, as: "columns", to: &json)
            json.array("rows", rows) { json, row in
                object(row, to: &json) { json in writeValues(row, to: &json) }
            }
            if let outages { json.array("suspectedOutages", outages) }
        case .comparison(let comparison):
            comparison.write(to: &json)
            json.array("rows", rows) { json, row in comparison.write(row, stamp, to: &json) }
        case .diff(let before, let after):
            json.object("before") { json in before.write(to: &json) }
            json.object("after") { json in after.write(to: &json) }
            json.array("cells", rows) { json, cell in
                object(cell, to: &json) { json in
                    json.member("column", cell.group.last ?? nil)
                    for column in columns { write(column, cell, to: &json) }
                    json.array("events", cell.events)
                    json.member("eventsOmitted", cell.eventsOmitted)
                }
            }
        }
    }

    static func write(_ columns: [CountColumn], as key: String, to json: inout JSONWriter) {
        json.objects(key, columns) { json, column in
            json.member("name", column.name)
            json.member("unit", column.unit.rawValue)
        }
    }

    private func write(_ column: CountColumn, _ row: Row, to json: inout JSONWriter) {
        let isLoss = column.name.hasPrefix(Report.lossPrefix)
        let key = isLoss ? column.name.dropFirst(Report.lossPrefix.count) : column.name[...]
        json.member(String(key), value(row, column))
    }

    /// An object that begins with a row's interval and group.
    private func object(
        _ row: Row, to json: inout JSONWriter, _ body: (inout JSONWriter) -> Void
    ) {
        var named = dimensions
        // A difference's column has a member of its own.
        if case .diff = subject { named.removeLast() }
        json.object { json in
            json.member("from", row.from)
            stamp.write(end: row.to, to: &json)
            json.object("group", named.isEmpty ? nil : row.group) { json, values in
                for (dimension, value) in zip(named, values) { json.member(dimension, value) }
            }
            body(&json)
        }
    }

    /// `values` and `rates` of a metric.
    private func writeValues(_ row: Row, to json: inout JSONWriter) {
        json.object("values") { json in
            for column in columns {
                let figure = value(row, column)
                guard column.unit == .milliunits, let amount = figure else {
                    json.member(column.name, figure)
                    continue
                }
                json.object(column.name) { json in
                    json.member("milliunits", amount)
                    json.member("currency", row.group.first ?? nil)
                }
            }
        }
        json.object("rates") { json in
            for rate in rates { json.member(rate.name, rate.value(row)) }
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
