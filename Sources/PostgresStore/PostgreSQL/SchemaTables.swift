internal import LedgerStore

/// The tables of one schema, inside one transaction.
struct SchemaTables: SQLTables {
    let connection: PostgresConnection

    /// Runs one statement.
    @discardableResult
    func run(_ sql: String, _ values: (any BoundValue)?...) throws(PostgresError) -> QueryResult {
        try connection.run(command(sql, values))
    }

    func command(_ sql: String, _ values: [(any BoundValue)?] = []) -> Command {
        Statement(sql).with(all: values)
    }

    @discardableResult
    func execute(_ sql: String, all values: [(any BoundValue)?]) throws -> Int {
        try connection.run(command(sql, values)).affectedCount
    }

    func execute(_ sql: String, each rows: [[(any BoundValue)?]]) throws {
        _ = try connection.run(rows.map { command(sql, $0) })
    }

    func rows<Value>(
        _ sql: String, all values: [(any BoundValue)?],
        read: (any SQLRow) throws -> Value?
    ) throws -> [Value] {
        try connection.run(command(sql, values)).rows.compactMap { try read($0) }
    }

    func rows<Value>(
        _ sql: String, each values: [[(any BoundValue)?]],
        read: (any SQLRow) throws -> Value?
    ) throws -> [[Value]] {
        try connection.run(values.map { command(sql, $0) }).map { result in
            try result.rows.compactMap { try read($0) }
        }
    }

    func contains(_ column: String) -> String { "position($1::bytea IN \(column)) > 0" }

    func insertNumbered(
        into table: String, _ area: OperationsArea,
        _ values: KeyValuePairs<String, (any BoundValue)?>
    ) throws -> Int64 {
        let row = try run(
            """
            UPDATE @areas SET last_id = last_id + 1 WHERE name = '\(area.rawValue)'
            RETURNING last_id
            """
        ).first
        guard let row else { throw PostgresError(.unexpectedValue, "An area is missing.") }
        let id = try row.int64(0)
        try insert(into: table, id: id, values)
        return id
    }
}

extension ResultRow: SQLRow {}
