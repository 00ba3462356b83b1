internal import GRDB
internal import LedgerStore
internal import Synchronization

/// The tables of a file, inside one transaction.
struct FileTables: SQLTables {
    let database: Database

    @discardableResult
    func execute(_ sql: String, all values: [(any BoundValue)?]) throws -> Int {
        try database.bound(FileTables.translated(sql), values).run()
    }

    func execute(_ sql: String, each rows: [[(any BoundValue)?]]) throws {
        for values in rows { try execute(sql, all: values) }
    }

    func rows<Value>(
        _ sql: String, all values: [(any BoundValue)?],
        read: (any SQLRow) throws -> Value?
    ) throws -> [Value] {
        try database.rows(FileTables.translated(sql), all: values) { try read($0) }
    }

    func rows<Value>(
        _ sql: String, each values: [[(any BoundValue)?]],
        read: (any SQLRow) throws -> Value?
    ) throws -> [[Value]] {
        try values.map { try rows(sql, all: $0, read: read) }
    }

    /// SQLite counts ids itself: the table's key is AUTOINCREMENT.
    func insertNumbered(
        into table: String, _ area: OperationsArea,
        _ values: KeyValuePairs<String, (any BoundValue)?>
    ) throws -> Int64 {
        try insert(into: table, values)
        return database.lastInsertedRowID
    }

    func contains(_ column: String) -> String { "instr(\(column), $1::bytea) > 0" }

    // MARK: Dialect

    /// PostgreSQL's SQL in shared statements, and SQLite's.
    private static let dialect = [
        ("@", ""), ("$", "?"), ("::bigint", ""), ("::boolean", ""), ("::bytea", ""),
        ("greatest(", "max("), ("least(", "min("), ("octet_length(", "length("),
        ("IS NOT DISTINCT FROM", "IS"), ("/*", "INDEXED BY "), ("*/", ""),
    ]

    /// Statements in SQLite's SQL, by their text: as many as the code has.
    private static let known = Mutex<[String: String]>([:])

    private static func translated(_ sql: String) -> String {
        known.withLock { known in
            if let text = known[sql] { return text }
            let text = dialect.reduce(sql) { $0.replacing($1.0, with: $1.1) }
            known[sql] = text
            return text
        }
    }
}

extension PreparedStatement: SQLRow {}
