internal import AppStore
internal import LedgerStore

/// Checks a database before a log is used, and creates or migrates its schema.
struct LogOpening: Sendable {
    let session: PostgresSession
    let environment: Environment
    /// The ledger that this node belongs to; nil for any.
    let ledger: LedgerId?
    /// The newest event that this node has seen.
    var seen = ProjectionCursor.start
    /// Whether a missing schema is created.
    var creates = true

    private var path: String { session.place.description }

    /// The server releases in which everything used here exists.
    private static let leastVersion = 120_000
    /// How often the sessions of two connections are compared. Behind a pool whose sessions others
    /// took meanwhile, four times were needed.
    private static let sessionRoundCount = 8

    func run(_ connection: PostgresConnection) throws -> LedgerId {
        try requireServer(connection)
        try requireSession(connection)
        let migrator = SchemaMigrator(
            location: session.place, environment: environment.rawValue, ledger: ledger,
            creates: creates)
        return try migrator.run(connection) { try requireSeen(connection) }
    }

    /// Throws `fileForeign` where the schema holds another ledger.
    func requireLedger(_ id: LedgerId, _ connection: PostgresConnection) throws {
        try SchemaMigrator(
            location: session.place, environment: environment.rawValue, ledger: id
        ).requireLedger(connection)
    }

    /// Throws `logWentBack` when the log does not hold the newest event that this node has seen.
    private func requireSeen(_ connection: PostgresConnection) throws {
        guard seen.position > 0 else { return }
        let results = try connection.run([
            Statement.log.leaf.with(seen.position), Statement.log.readHead.with(),
        ])
        guard results[0].first?.digest(0) != seen.leafHash else { return }
        let head = try HeadRow(results[1], location: path).tree.size
        throw LogWentBack(head: head)
            .error(at: seen.position, isFirst: false, path, environment)
    }

    private func requireServer(_ connection: PostgresConnection) throws(StoreError) {
        guard connection.serverVersion >= LogOpening.leastVersion else {
            throw unusable(
                "The server is older than PostgreSQL 12.", "Use PostgreSQL 12 or later.")
        }
        guard connection.serverParameter("server_encoding") == "UTF8" else {
            throw unusable(
                "The database's encoding is not UTF8.", "Create a database with ENCODING 'UTF8'.")
        }
        // Reported by PostgreSQL 14 and later.
        guard connection.serverParameter("in_hot_standby") != "on" else {
            throw StoreError(
                .fileReadOnly, path: path, reason: "The server is a standby.",
                remedy: "Name the primary, or list all hosts in the connection string.")
        }
    }

    /// A pooler in transaction mode gives each transaction another session: it loses prepared
    /// statements and leaks settings. Transactions of one connection then run in several sessions,
    /// or those of two connections in one. A single try may pass by luck: how the pooler chooses,
    /// and what others take meanwhile, decides which session is free.
    private func requireSession(_ connection: PostgresConnection) throws {
        let own = Statement("SELECT pg_backend_pid()")
        let connections = [connection, try session.open()]
        var known: [Set<Int64>] = [[], []]
        for round in 0..<LogOpening.sessionRoundCount {
            let order = round.isMultiple(of: 2) ? [0, 1] : [1, 0]
            // Whether the first one keeps its session while the other one asks. Not at once: behind
            // a pool of a single session the other one would wait in vain.
            let keeps = round % 4 >= 2
            for number in order {
                let isKept = keeps && number == order[0]
                let commands = (isKept ? [Statement.begin.with()] : []) + [own.with()]
                let pid = try connections[number].run(commands).last?.first?.int64(0) ?? 0
                // Servers that only speak the protocol may not number sessions.
                guard pid > 0 else { continue }
                known[number].insert(pid)
                guard known[number].count == 1, !known[1 - number].contains(pid) else {
                    throw StoreError.pooled(path)
                }
            }
            if keeps { _ = try connections[order[0]].run(Statement.rollback.with()) }
        }
    }

    private func unusable(_ reason: String, _ remedy: String) -> StoreError {
        StoreError(.databaseRefused, path: path, reason: reason, remedy: remedy)
    }
}
