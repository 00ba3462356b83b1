/// A row given by its columns, in order: what is stored, and how differences are named.
protocol StoredRow: Equatable, Sendable {
    static var table: String { get }
    /// The columns with content, without keys that only order the rows.
    static var columns: [String] { get }
    /// The columns' values, in order.
    var values: [ColumnValue] { get }
}

extension StoredRow {
    /// Rows are equal when SQLite would hold the same bytes; String's own equality treats
    /// canonically equivalent spellings as equal.
    static func == (left: Self, right: Self) -> Bool { left.values == right.values }

    /// Columns as `table.column` that differ between rows at the same index, and the table alone
    /// when one side has more rows.
    static func differences(_ left: [Self], _ right: [Self]) -> [String] {
        var differs = Array(repeating: false, count: columns.count)
        for (one, two) in zip(left, right) {
            for (index, pair) in zip(one.values, two.values).enumerated() where pair.0 != pair.1 {
                differs[index] = true
            }
        }
        return (left.count == right.count ? [] : [table])
            + zip(columns, differs).filter(\.1).map { "\(table).\($0.0)" }
    }
}

/// One column's value, compared as SQLite's BINARY collation does.
enum ColumnValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

    init(_ value: Bool?) { self.init(value.map { $0 ? 1 : 0 }) }

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    static func == (left: ColumnValue, right: ColumnValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let one), .integer(let two)): one == two
        case (.text(let one), .text(let two)): one.utf8.elementsEqual(two.utf8)
        case (.bytes(let one), .bytes(let two)): one == two
        default: false
        }
    }
}
