internal import LedgerStore

extension StoreError {
    /// Translates any error thrown while the database was used. The server's message may name hosts
    /// and roles: it is for the operator and part of the remedy.
    init(_ error: any Error, location: String) {
        if let known = error as? StoreError {
            self = known
        } else if let failure = error as? PostgresError {
            self.init(postgres: failure, location: location)
        } else {
            self.init(
                .databaseFailure, path: location,
                reason: "An unexpected failure: \(type(of: error)).",
                remedy: "Run `subledger doctor`.")
        }
    }

    private init(postgres error: PostgresError, location: String) {
        let message = error.message.hasSuffix(".") ? error.message : "\(error.message)."
        switch error.kind {
        case .unreachable, .lost, .timedOut:
            self.init(
                .databaseUnavailable, path: location,
                reason: "The database is not available.",
                remedy: """
                    libpq reports: \(message) A service that already listens continues by \
                    itself once the database can be reached; start anything else again.
                    """)
        case .loginRefused:
            self = .refused(message, location)
        case .unexpectedValue:
            self = .contradiction(location, error.message)
        case .refused(let state):
            self.init(state, error.message, location)
        }
    }

    private init(_ state: SQLState, _ message: String, _ location: String) {
        let detail = "PostgreSQL reports \(state.rawValue): \(message)."
        switch state {
        case .invalidPassword, .invalidAuthorization, .invalidDatabase, .insufficientPrivilege:
            self = .refused(detail, location)
        case .duplicateStatement, .undefinedStatement:
            self = .pooled(location)
        case .readOnlyTransaction:
            self.init(
                .fileReadOnly, path: location, reason: "The database accepts no writes.",
                remedy: "\(detail) Name the primary, or list all hosts in the connection string.")
        case .lockNotAvailable:
            self.init(
                .fileLocked, path: location, reason: "Another session holds a lock.",
                remedy: """
                    \(detail) Wait for it to finish, or end it, unless it waits for a synchronous \
                    standby (wait_event SyncRep); then try again.
                    """)
        case .tooManyConnections:
            self.init(
                .databaseUnavailable, path: location,
                reason: "The database has no connection left.",
                remedy: """
                    \(detail) Raise max_connections, or the limit of the role or the database, or \
                    run fewer nodes. A service that already listens continues by itself.
                    """)
        case .diskFull:
            self.init(
                .diskFull, path: location, reason: "The database's disk is full.",
                remedy: "\(detail) Free space; nothing acknowledged was lost. Then try again.")
        case .dataCorrupted, .indexCorrupted:
            self = .contradiction(location, detail)
        case .ioError:
            self.init(
                .ioError, path: location, reason: "The database server cannot use its disk.",
                remedy: "\(detail) Check the disk of the database server.")
        case .undefinedTable, .undefinedColumn:
            self.init(
                .fileChanged, path: location, reason: "A table or column of the log is missing.",
                remedy: "\(detail) Restore the schema of this log from a backup.")
        case _ where ["57", "53", "08"].contains(state.category):
            self.init(
                .databaseUnavailable, path: location,
                reason: "The database accepts no statements now.",
                remedy: """
                    \(detail) A service that already listens continues by itself once the server \
                    accepts statements; start anything else again.
                    """)
        default:
            self.init(
                .databaseFailure, path: location, reason: "The database refused a statement.",
                remedy: "\(detail) Run `subledger doctor`.")
        }
    }

    private static func refused(_ detail: String, _ location: String) -> StoreError {
        StoreError(
            .databaseRefused, path: location, reason: "The database refuses this role.",
            remedy: "\(detail) Check user, password, database name and the role's rights.")
    }

    /// Prepared statements of another session exist, or those of this one are lost.
    static func pooled(_ location: String) -> StoreError {
        StoreError(
            .databaseRefused, path: location,
            reason: "A pooler in transaction mode is between this node and the database.",
            remedy: "Connect to the database directly, or use the pooler's session mode.")
    }

    /// Rows contradict each other.
    static func contradiction(_ location: String, _ detail: String) -> StoreError {
        StoreError(
            .fileCorrupt, path: location, reason: "The log is damaged. \(detail)",
            remedy: "Stop writing, keep the database, and restore a backup that verifies.")
    }
}
