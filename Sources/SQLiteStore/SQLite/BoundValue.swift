internal import AppStore
internal import GRDB
internal import Ledger

/// A value bound to a parameter. Not GRDB's own conversions: they end a text at its first NUL.
protocol BoundValue {
    var columnValue: ColumnValue { get }
}

extension Int64: BoundValue {
    var columnValue: ColumnValue { .integer(self) }
}

extension Int: BoundValue {
    var columnValue: ColumnValue { .integer(Int64(self)) }
}

extension Bool: BoundValue {
    var columnValue: ColumnValue { .integer(self ? 1 : 0) }
}

extension String: BoundValue {
    var columnValue: ColumnValue { .text(self) }
}

extension [UInt8]: BoundValue {
    var columnValue: ColumnValue { .bytes(self) }
}

extension Digest: BoundValue {
    var columnValue: ColumnValue { .bytes(bytes) }
}

extension Timestamp: BoundValue {
    var columnValue: ColumnValue { .integer(milliseconds) }
}

extension ColumnValue: BoundValue {
    var columnValue: ColumnValue { self }
}

extension Identifier: BoundValue {
    var columnValue: ColumnValue { .text(rawValue) }
}

/// Statements that are not hot: prepared, bound and run in one call.
extension Database {
    /// Runs a statement that returns no rows; returns the number of rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: (any BoundValue)?...) throws -> Int {
        try bound(sql, values).run()
    }

    /// As `run`, with the values in an array.
    @discardableResult
    func run(_ sql: String, values: [ColumnValue]) throws -> Int {
        try bound(sql, values).run()
    }

    /// The rows of a query, each as `read` returns it; rows for which it returns nil are left out.
    func rows<Value>(
        _ sql: String, _ values: (any BoundValue)?..., read: (PreparedStatement) throws -> Value?
    ) throws -> [Value] {
        try rows(sql, all: values, read: read)
    }

    /// As `rows`, with the values in an array.
    func rows<Value>(
        _ sql: String, all values: [(any BoundValue)?],
        read: (PreparedStatement) throws -> Value?
    ) throws -> [Value] {
        let select = try bound(sql, values)
        defer { select.reset() }
        var found: [Value] = []
        while try select.step() {
            if let value = try read(select) { found.append(value) }
        }
        return found
    }

    /// Inserts one row of the given columns.
    func insert(
        _ verb: String = "INSERT", into table: String,
        _ values: KeyValuePairs<String, (any BoundValue)?>
    ) throws {
        let columns = values.map(\.key).joined(separator: ", ")
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try bound(
            "\(verb) INTO \(table) (\(columns)) VALUES (\(places))", values.map(\.value)
        ).runInsert()
    }

    private func bound(_ sql: String, _ values: [(any BoundValue)?]) throws -> PreparedStatement {
        var statement = try PreparedStatement(self, sql)
        for (parameter, value) in zip(Int32(1)..., values) {
            statement.bind(parameter, value?.columnValue ?? .null)
        }
        return statement
    }
}

extension PreparedStatement {
    func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: int64(column)) }

    func optionalTime(_ column: Int32) -> Timestamp? {
        optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }

    /// The chain in the columns `bundle_id` and `chain`, which follow each other.
    func chainId(_ column: Int32) -> ChainId {
        ChainId(
            bundleId: BundleId(requiredText(column)),
            originalTransactionId: OriginalTransactionId(requiredText(column + 1)))
    }

    /// The text; empty for NULL.
    func requiredText(_ column: Int32) -> String { text(column) ?? "" }
}
