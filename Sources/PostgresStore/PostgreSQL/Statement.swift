internal import LedgerStore

/// A statement that is prepared once per connection, on its first use, without an extra round trip.
///
/// `@` before a table stands for the connection's schema, by which names are qualified: a session's
/// search path may not survive a pooler.
struct Statement: Sendable {
    let sql: String

    init(_ sql: String) { self.sql = sql }

    /// This statement with its parameters, to be sent.
    func with(_ values: (any BoundValue)?...) -> Command { with(all: values) }

    func with(all values: [(any BoundValue)?]) -> Command {
        bind { parameters in
            for value in values { parameters.add(value) }
        }
    }

    /// As `with`, where parameters are arrays.
    func bind(_ body: (inout Parameters) -> Void) -> Command {
        var parameters = Parameters()
        body(&parameters)
        return Command(statement: self, parameters: parameters)
    }
}

/// A statement with parameters, to be sent in a pipeline.
struct Command {
    let statement: Statement
    let parameters: Parameters
}

extension Statement {
    /// Without READ WRITE, so that a database made read-only accepts no event.
    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    /// All statements up to COMMIT see the same rows.
    static let snapshot = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")
    /// Statements between the two are executed and undone.
    static let savepoint = Statement("SAVEPOINT tried")
    static let rollbackToSavepoint = Statement("ROLLBACK TO SAVEPOINT tried")
    static let log = LogStatements()
    static let audit = AuditStatements()
}
