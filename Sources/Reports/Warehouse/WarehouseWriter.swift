import AppStore
package import Queries

/// Writes lines of values under named columns, as NDJSON or comma-separated values (RFC 4180).
package struct WarehouseWriter {
    let columns: [String]
    let format: Export.Format
    private var json = JSONWriter(reservingCapacity: 64 * 1024)
    private var text: [UInt8] = []

    package init(columns: [String], format: Export.Format) {
        self.columns = columns
        self.format = format
    }

    var header: [UInt8] { columns.csvLine(isRaw: true) }

    package mutating func add(_ line: WarehouseExport.Line) {
        guard format == .ndjson else {
            text += line.values.map(\.text).csvLine(isRaw: format == .rawCSV)
            return
        }
        json.object { json in
            for (column, value) in zip(columns, line.values) {
                switch value {
                case .null: json.member(column, nil as String?)
                case .flag(let flag): json.member(column, flag)
                case .number(let number): json.member(column, number)
                case .text(let text): json.member(column, text)
                }
            }
        }
        json.newline()
    }

    /// The lines added since the last call.
    package mutating func take() -> [UInt8] {
        defer {
            json.removeAll()
            text.removeAll(keepingCapacity: true)
        }
        return format == .ndjson ? json.bytes : text
    }
}

extension WarehouseCell {
    /// The value in a table; empty for null.
    fileprivate var text: String {
        switch self {
        case .null: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): "\(number)"
        case .text(let text): text
        }
    }
}
