internal import LedgerStore

/// Statements on the operational state of one schema, inside one transaction.
struct OperationsTransaction {
    let connection: PostgresConnection
    let schema: String

    /// Runs one statement; `@` before a table stands for the schema.
    @discardableResult
    func run(_ sql: String, _ values: (any BoundValue)...) throws(PostgresError) -> QueryResult {
        try connection.run(command(sql, values))
    }

    func command(_ sql: String, _ values: [any BoundValue] = []) -> Command {
        Statement(sql.replacing("@", with: "\"\(schema)\".")).with { parameters in
            for value in values { value.add(to: &parameters) }
        }
    }

    /// The next id of an area that the transaction has locked.
    func nextId(of area: OperationsArea) throws(PostgresError) -> Int64 {
        let row = try run(
            """
            UPDATE @areas SET last_id = last_id + 1 WHERE name = '\(area.rawValue)'
            RETURNING last_id
            """
        ).first
        guard let row else { throw PostgresError(.unexpectedValue, "An area is missing.") }
        return try row.int64(0)
    }
}

/// Parts of the operational state whose writes are serialised: names in `areas`.
enum OperationsArea: String {
    case quarantine
    case recovery
    case uploads
    case requests
    case feeds
    case webhooks

    /// The task whose holder alone writes here; nil where every node may.
    var task: ExclusiveTask? {
        switch self {
        case .recovery: .recovery
        case .webhooks: .webhooks
        case .feeds: .feedClock
        case .quarantine, .uploads, .requests: nil
        }
    }
}
