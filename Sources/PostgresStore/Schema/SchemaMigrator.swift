internal import AppStore
internal import LedgerStore
internal import Migrations
internal import Signing

/// Brings a schema up to date, and refuses schemas it must not change.
struct SchemaMigrator {
    let location: PostgresLocation
    /// The name of the environment, recorded in the schema.
    let environment: String
    /// The ledger that this node belongs to: a schema of another one, or none, is refused.
    var ledger: LedgerId?
    /// Whether a missing schema is created.
    var creates = true
    var migrations = SchemaHistory.postgres

    private var path: String { location.description }
    private var schema: String { "\"\(location.schema)\"" }

    /// Recognises the schema and applies the missing migrations in one transaction. Returns the
    /// ledger's id.
    ///
    /// - Parameter requireSeen: throws where the log lacks what this node has seen of it; called
    ///   before a log is migrated.
    func run(
        _ connection: PostgresConnection, requireSeen: () throws -> Void
    ) throws -> LedgerId {
        var attempt = 1
        while true {
            do {
                if let ledger = try current(connection, requireSeen) { return ledger }
                try migrate(connection)
            } catch let error as PostgresError {
                // Another node may be creating the schema.
                let isConflict = error.state.map {
                    $0.isConflict || $0 == .duplicateTable || $0 == .duplicateSchema
                }
                guard isConflict == true, attempt < PostgresLimits.conflictAttemptCount else {
                    throw error
                }
                attempt += 1
            }
        }
    }

    /// The ledger's id where the schema is up to date; nil where migrations are missing. Needs no
    /// right to create anything.
    private func current(
        _ connection: PostgresConnection, _ requireSeen: () throws -> Void
    ) throws -> LedgerId? {
        let applied = try recognise(connection)
        if applied == 0, ledger != nil { throw otherLedger("no ledger yet; this node has one") }
        if applied == 0, !creates {
            throw StoreError(
                .noSuchFile, path: path, reason: "There is no log.",
                remedy: "Check database, schema and environment; nothing was created.")
        }
        guard applied > 0 else { return nil }
        // Reads only what the first migration made: a schema that is refused is not migrated.
        let found = try requireLedger(connection)
        try requireSeen()
        return applied == migrations.count ? found : nil
    }

    /// The ledger's id. Throws `fileForeign` where it, or the environment, is another one.
    @discardableResult
    func requireLedger(_ connection: PostgresConnection) throws -> LedgerId {
        let row = try connection.run(
            Statement("SELECT id, environment FROM @ledger WHERE one = 1").with()
        ).first
        guard let row, let id = LedgerId(bytes: row.bytes(0)) else {
            throw changed("Its ledger id is missing.")
        }
        guard row.text(1) == environment else {
            throw StoreError(
                .fileForeign, path: path,
                reason: "This schema holds the log of the environment \(row.text(1) ?? "?").",
                remedy: "Name another schema; this one was not changed.")
        }
        guard ledger == nil || ledger == id else {
            throw otherLedger("another ledger than this node's")
        }
        return id
    }

    private func otherLedger(_ what: String) -> StoreError {
        StoreError(
            .fileForeign, path: path, reason: "This database holds \(what).",
            remedy: "Name the database of this node's ledger, or use an empty directory.")
    }

    /// The number of migrations in the schema, all of them known and unchanged.
    private func recognise(_ connection: PostgresConnection) throws -> Int {
        let relations = Statement(
            """
            SELECT coalesce(bool_or(c.relname = 'migrations'), false), count(*)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = convert_from($1::bytea, 'UTF8')
            """)
        let found = try connection.run(relations.with(location.schema)).first
        guard let found, try found.int64(1) > 0 else { return 0 }
        guard try found.bool(0) else { throw foreign }
        let rows: QueryResult
        do throws(PostgresError) {
            let all = "SELECT version, name, checksum FROM @migrations ORDER BY version"
            rows = try connection.run(Statement(all).with())
        } catch {
            if error.state == .undefinedColumn { throw foreign }
            throw error
        }
        var count = 0
        for row in rows.rows {
            try check(
                version: try row.int64(0), name: row.text(1) ?? "", checksum: row.digest(2),
                against: count)
            count += 1
        }
        return count
    }

    private func check(
        version: Int64, name: String, checksum: Digest?, against index: Int
    ) throws {
        guard version == index + 1 else {
            throw changed("Migration \(index + 1) is missing from its record.")
        }
        guard index < migrations.count else {
            throw StoreError(
                .fileNewer, path: path,
                reason: "It was written by a newer release (migration \(name)).",
                remedy: "Use that release or a later one; this schema was not changed.")
        }
        let step = migrations[index]
        guard step.name == name, checksum == SHA256.hash(step.sql) else {
            throw changed("Migration \(version) differs from this release's.")
        }
    }

    private var foreign: StoreError {
        StoreError(
            .fileForeign, path: path,
            reason: "This schema was created by another program or for another purpose.",
            remedy: "Name another schema; this one was not changed.")
    }

    private func changed(_ detail: String) -> StoreError {
        StoreError(
            .fileChanged, path: path, reason: detail,
            remedy: "Use the release that created the schema, or restore a backup.")
    }

    // MARK: Applying

    private func migrate(_ connection: PostgresConnection) throws {
        // An index of a large log takes longer than the answers of any other statement.
        let usual = connection.answerTimeout
        connection.answerTimeout = PostgresLimits.rewriteTimeout
        defer { connection.answerTimeout = usual }
        do {
            // What another node commits while this one waits for it must be visible afterwards.
            try connection.run(script: "BEGIN ISOLATION LEVEL READ COMMITTED")
            // Needs a right on the database even where the schema exists.
            if try !hasSchema(connection) {
                try connection.run(script: "CREATE SCHEMA IF NOT EXISTS \(schema)")
            }
            // A schema with other tables is refused before anything is created in it.
            _ = try recognise(connection)
            try connection.run(
                script: """
                    SET LOCAL search_path = \(schema);
                    CREATE TABLE IF NOT EXISTS migrations (
                        version bigint PRIMARY KEY, name text COLLATE "C" NOT NULL,
                        checksum bytea NOT NULL
                    );
                    SET LOCAL lock_timeout = 0;
                    LOCK TABLE migrations IN EXCLUSIVE MODE;
                    SET LOCAL lock_timeout = '\(PostgresLimits.rewriteWait)'
                    """)
            // Another node may have migrated before the lock was taken.
            for step in migrations.dropFirst(try recognise(connection)) {
                try apply(step, connection)
            }
            try connection.run(script: "COMMIT")
        } catch {
            if connection.isUsable { try? connection.run(script: "ROLLBACK") }
            if let error = error as? PostgresError, error.state == .insufficientPrivilege {
                throw notOwner(error)
            }
            throw error
        }
    }

    private func hasSchema(_ connection: PostgresConnection) throws -> Bool {
        let named = Statement(
            """
            SELECT count(*) FROM pg_catalog.pg_namespace
            WHERE nspname = convert_from($1::bytea, 'UTF8')
            """)
        return try connection.run(named.with(location.schema)).first?.int64(0) != 0
    }

    private func notOwner(_ error: PostgresError) -> StoreError {
        StoreError(
            .databaseRefused, path: path,
            reason: "Migrations are missing, and this role may not apply them.",
            remedy: """
                PostgreSQL reports: \(error.message). Let the schema's owner open it: \
                `subledger doctor --environment \(environment.lowercased())`.
                """)
    }

    private func apply(_ step: Migration, _ connection: PostgresConnection) throws {
        try connection.run(script: step.text)
        let record = Statement(
            """
            INSERT INTO @migrations (version, name, checksum)
            VALUES ($1::bigint, convert_from($2::bytea, 'UTF8'), $3::bytea)
            """)
        _ = try connection.run(record.with(step.version, step.name, SHA256.hash(step.sql)))
        guard step.version == 1 else { return }
        let name = Statement(
            """
            INSERT INTO @ledger (one, id, environment)
            VALUES (1, $1::bytea, convert_from($2::bytea, 'UTF8'))
            """)
        _ = try connection.run(name.with(LedgerId.random().bytes, environment))
    }
}
