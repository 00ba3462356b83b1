internal import GRDB

/// Inserts encoded rows, many per statement execution, since SQLite's overhead per execution
/// exceeds the cost of a row.
struct BulkInsert {
    private let columnCount: Int32
    private let one: PreparedStatement
    private let many: PreparedStatement

    /// Rows per execution. Even for the widest table, far below SQLite's bound of 32,766 parameters
    /// (https://www.sqlite.org/limits.html#max_variable_number).
    static let rowsPerRun = 64

    /// - Parameter conflict: what to do with a row whose key is stored, such as `DO NOTHING`.
    init(
        _ database: Database, table: String, columns: [String], onConflict conflict: String? = nil
    ) throws {
        columnCount = Int32(columns.count)
        let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        let insert = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
        let end = conflict.map { " ON CONFLICT \($0)" } ?? ""
        one = try PreparedStatement(database, insert + row + end)
        let rows = repeatElement(row, count: BulkInsert.rowsPerRun).joined(separator: ", ")
        many = try PreparedStatement(database, insert + rows + end)
    }

    func run(_ rows: RowBytes) throws {
        try rows.withBytes { bytes in
            var reader = ColumnReader(bytes)
            var remaining = rows.rowCount
            while remaining >= BulkInsert.rowsPerRun {
                reader.bind(many, 1...columnCount * Int32(BulkInsert.rowsPerRun))
                try many.run()
                remaining -= BulkInsert.rowsPerRun
            }
            while remaining > 0 {
                reader.bind(one, 1...columnCount)
                try one.run()
                remaining -= 1
            }
        }
    }
}

/// A cursor over encoded columns. The bytes come only from `RowBytes`, so their format is trusted.
private struct ColumnReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Binds the next columns; texts and blobs are bound without a copy until the statement is
    /// reset.
    mutating func bind(_ statement: PreparedStatement, _ parameters: ClosedRange<Int32>) {
        for parameter in parameters {
            switch bytes[offset] {
            case RowBytes.integer:
                statement.bind(
                    parameter, bytes.loadUnaligned(fromByteOffset: offset + 1, as: Int64.self))
                offset += RowBytes.integerByteCount
            case RowBytes.text: statement.bind(parameter, lentText: lent())
            case RowBytes.blob: statement.bind(parameter, lentBlob: lent())
            default:
                statement.bindNull(parameter)
                offset += 1
            }
        }
    }
    private mutating func lent() -> UnsafeRawBufferPointer {
        let count = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)
        let start = offset + RowBytes.headByteCount
        offset = start + Int(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }
}
