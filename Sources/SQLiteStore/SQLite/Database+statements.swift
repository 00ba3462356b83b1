internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore

extension ColumnValue: BoundValue {
    var boundValue: StoredValue {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .text(let value): .text(value)
        case .bytes(let value): .bytes(value)
        }
    }
}

/// Statements that are not hot: prepared, bound and run in one call. Not with GRDB's own
/// conversions of values: they end a text at its first NUL.
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

    /// Whether a query has rows.
    func hasRow(_ sql: String, _ values: (any BoundValue)?...) throws -> Bool {
        let select = try bound(sql, values)
        defer { select.reset() }
        return try select.step()
    }

    func bound(_ sql: String, _ values: [(any BoundValue)?]) throws -> PreparedStatement {
        let statement = try PreparedStatement(self, sql)
        for (parameter, value) in zip(Int32(1)..., values) {
            switch value?.boundValue ?? .null {
            case .null: statement.bindNull(parameter)
            case .integer(let value): statement.bind(parameter, value)
            case .flag(let value): statement.bind(parameter, value)
            case .text(let value): statement.bind(parameter, value)
            case .digest(let value): statement.bind(parameter, value)
            case .bytes(let value): statement.bind(parameter, value)
            }
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
