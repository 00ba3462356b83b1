public import AppStore
internal import Ledger

/// A log or operational state, whose tables can be read.
public protocol TableReader: Sendable {
    /// Runs `body`, which must only read; of operational state, with one snapshot for all its
    /// statements.
    func readTables<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTables) throws -> Value
    ) async throws(StoreError) -> Value

    /// Closes every connection; a log answers the waiting batches first. Later calls throw
    /// `closed`.
    func close() async
}

extension TableReader {
    /// The result of `body`; closes it afterwards, also where `body` throws.
    package func closing<Value: Sendable>(
        _ body: (Self) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await Outcome { () throws(StoreError) in try await body(self) }
        await close()
        return try result.get()
    }

    /// The rows of one query (`SQLTables.rows`).
    package func rows<Value: Sendable>(
        _ sql: String, _ values: (any BoundValue)?...,
        read: @escaping @Sendable (any SQLRow) throws -> Value?
    ) async throws(StoreError) -> [Value] {
        try await readTables { try $0.rows(sql, all: values, read: read) }
    }
}

/// The tables of a log or of operational state, inside one transaction of an engine.
///
/// Statements are in PostgreSQL's SQL: `@` before a table stands for its schema, parameters are
/// `$1::bigint`, `$1::boolean` and `$1::bytea` (texts, ids, digests and bytes). A comment after a
/// table names the index that SQLite must use, whose planner would otherwise scan the table.
public protocol SQLTables {
    /// Runs a statement that returns no rows; returns the number of rows it changed.
    @discardableResult
    func execute(_ sql: String, all values: [(any BoundValue)?]) throws -> Int

    /// The rows of a query, each as `read` returns it; rows for which it returns nil are left out.
    func rows<Value>(
        _ sql: String, all values: [(any BoundValue)?],
        read: (any SQLRow) throws -> Value?
    ) throws -> [Value]

    /// Inserts one row with the next `id` of the area, which no row had before; returns the id.
    func insertNumbered(
        into table: String, _ area: OperationsArea,
        _ values: KeyValuePairs<String, (any BoundValue)?>
    ) throws -> Int64

    /// The condition that a column contains the bytes of the first parameter.
    func contains(_ column: String) -> String

    /// Runs a statement that returns no rows once for the values of each row, in order, in one
    /// round trip.
    func execute(_ sql: String, each rows: [[(any BoundValue)?]]) throws

    /// Runs a query once for each of the values, in order, in one round trip; the rows of each.
    func rows<Value>(
        _ sql: String, each values: [[(any BoundValue)?]],
        read: (any SQLRow) throws -> Value?
    ) throws -> [[Value]]
}

/// One row of a query. Columns count from 0.
public protocol SQLRow {
    func int64(_ column: Int32) throws -> Int64
    func optionalInt64(_ column: Int32) throws -> Int64?
    func text(_ column: Int32) -> String?
    /// A text that is never NULL.
    func requiredText(_ column: Int32) throws -> String
    /// Nil for NULL, and where the value has another length.
    func digest(_ column: Int32) -> Digest?
    /// Empty for NULL.
    func bytes(_ column: Int32) -> [UInt8]
}

extension SQLTables {
    @discardableResult
    func execute(_ sql: String, _ values: (any BoundValue)?...) throws -> Int {
        try execute(sql, all: values)
    }

    func rows<Value>(
        _ sql: String, _ values: (any BoundValue)?...,
        read: (any SQLRow) throws -> Value?
    ) throws -> [Value] {
        try rows(sql, all: values, read: read)
    }

    func count(_ table: String) throws -> Int {
        try rows("SELECT count(*) FROM @\(table)") { Int(try $0.int64(0)) }.first ?? 0
    }

    /// Inserts one row of the given columns.
    ///
    /// - Parameters:
    ///   - id: the value of the column `id`, where an engine counts it itself.
    ///   - key: the columns of the primary key, to replace the row that has the same one.
    package func insert(
        into table: String, id: Int64? = nil, _ values: KeyValuePairs<String, (any BoundValue)?>,
        replacing key: [String] = []
    ) throws {
        let columns = (id == nil ? [] : ["id"]) + values.map(\.key)
        let parameters = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        var sql = """
            INSERT INTO @\(table) (\(columns.joined(separator: ", "))) VALUES (\(parameters))
            """
        if !key.isEmpty {
            let others = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
            sql += """
                 ON CONFLICT (\(key.joined(separator: ", ")))
                DO UPDATE SET \(others.joined(separator: ", "))
                """
        }
        let first: [(any BoundValue)?] = id == nil ? [] : [id]
        try execute(sql, all: first + values.map(\.value))
    }
}

extension SQLRow {
    package func bool(_ column: Int32) throws -> Bool { try int64(column) != 0 }

    package func time(_ column: Int32) throws -> Timestamp {
        Timestamp(milliseconds: try int64(column))
    }

    package func optionalTime(_ column: Int32) throws -> Timestamp? {
        try optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }

    /// The chain that a bundle id and the column after it name.
    func chainId(_ column: Int32) throws -> ChainId {
        ChainId(
            bundleId: BundleId(try requiredText(column)),
            originalTransactionId: OriginalTransactionId(try requiredText(column + 1)))
    }
}
