internal import AppStore
internal import GRDB
internal import LedgerStore
internal import Migrations
internal import Signing

/// Brings a file's schema up to date, and refuses files it must not change.
struct SchemaMigrator {
    let file: DatabaseFile
    private var firstVersion: Int { file.migrations[0].version }

    /// Recognises the file, then applies the missing migrations, each in its own transaction.
    func run(_ database: Database) throws {
        // Both queries in one transaction, since another process may be creating the schema.
        var applied = 0
        try database.inTransaction(.deferred) {
            applied = try recognise(database)
            return .commit
        }
        for (index, step) in file.migrations.enumerated().dropFirst(applied) {
            try database.inTransaction(.immediate) {
                // Another process may have migrated before the lock was taken.
                applied = try recognise(database)
                if applied == index { try apply(step, database) }
                return .commit
            }
        }
    }

    /// The number of migrations in the file, all of them known and unchanged.
    private func recognise(_ database: Database) throws -> Int {
        let identity = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        if identity == 0, tables == 0 { return 0 }
        guard identity == file.applicationId else {
            throw StoreError(
                .fileForeign, path: file.path,
                reason: "This SQLite file was created by another program or for another purpose.",
                remedy: "Name another data directory; this file was not changed.")
        }
        let rows: PreparedStatement
        do {
            rows = try PreparedStatement(
                database, "SELECT version, name, checksum FROM migrations ORDER BY version")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw changed("Its record of migrations is missing.")
        }
        defer { rows.reset() }
        var count = 0
        while try rows.step() {
            // Of scripts that were replaced, the last one decides: it was applied after the others.
            if rows.int64(0) < firstVersion { continue }
            try check(
                version: rows.int64(0), name: rows.text(1) ?? "", checksum: rows.digest(2),
                against: count)
            count += 1
        }
        guard count > 0 else {
            throw changed("Migration \(firstVersion) is missing from its record.")
        }
        return count
    }

    private func check(
        version: Int64, name: String, checksum: Digest?, against index: Int
    ) throws {
        let expected = firstVersion + index
        guard version == expected else {
            throw changed("Migration \(expected) is missing from its record.")
        }
        guard index < file.migrations.count else {
            throw StoreError(
                .fileNewer, path: file.path,
                reason: "It was written by a newer release (migration \(name)).",
                remedy: "Use that release or a later one; this file was not changed.")
        }
        let step = file.migrations[index]
        let isReplaced = step.replaced != nil && checksum?.hexadecimal == step.replaced
        guard isReplaced || (step.name == name && checksum == SHA256.hash(step.sql)) else {
            throw changed("Migration \(version) differs from this release's.")
        }
    }

    private func changed(_ detail: String) -> StoreError {
        StoreError(
            .fileChanged, path: file.path, reason: detail,
            remedy: "Use the release that created the file, or restore a backup.")
    }

    private func apply(_ step: Migration, _ database: Database) throws {
        if step.version == firstVersion {
            try database.execute(sql: "PRAGMA application_id = \(file.applicationId)")
            try database.execute(
                sql: """
                    CREATE TABLE migrations (
                        version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum BLOB NOT NULL
                    ) STRICT
                    """)
        }
        try database.execute(sql: step.text)
        try database.run(
            "INSERT INTO migrations (version, name, checksum) VALUES (?, ?, ?)", step.version,
            step.name, SHA256.hash(step.sql))
    }
}

/// The schema of a file, text by text.
enum SchemaObjects {
    /// Every schema entry except SQLite's own statistics.
    static func all(_ database: Database) throws -> Set<[String]> {
        let objects = try database.rows(
            """
            SELECT
                type, name, tbl_name, coalesce(sql, ''),
                typeof(type) || typeof(name) || typeof(tbl_name) || typeof(sql)
            FROM main.sqlite_schema
            WHERE name NOT LIKE 'sqlite_stat%'
            """
        ) { row in (0..<5).map { row.requiredText($0) } }
        return Set(objects)
    }

    /// Those that `install` creates in an empty file.
    static func made(by install: (Database) throws -> Void) throws -> Set<[String]> {
        try DatabaseQueue().inDatabase { database in
            try install(database)
            return try all(database)
        }
    }
}
