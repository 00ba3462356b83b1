internal import GRDB
internal import LedgerStore

/// Audit of a file's schema and trees.
enum AuditSchema {
    /// Compares the schema with this release's, text by text: a changed comment counts as damage
    /// too. Trees are checked while the file has at most `pageCount` pages.
    static func findings(
        _ database: Database, of file: DatabaseFile, checkedPageCount: Int
    ) throws -> [LogFinding] {
        var findings: [LogFinding] = []
        if try SchemaObjects.all(database) != expected(file) {
            findings.append(LogFinding(.schemaMismatch))
        }
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        if pages <= checkedPageCount, try !hasSoundTrees(database) {
            findings.append(LogFinding(.fileDamaged))
        }
        return findings
    }

    private static func expected(_ file: DatabaseFile) throws -> Set<[String]> {
        let scratch = try DatabaseQueue()
        return try scratch.inDatabase { database in
            try SchemaMigrator(file: file).run(database)
            return try SchemaObjects.all(database)
        }
    }

    /// https://www.sqlite.org/pragma.html#pragma_integrity_check
    private static func hasSoundTrees(_ database: Database) throws -> Bool {
        let check = try PreparedStatement(database, "PRAGMA integrity_check(1)")
        defer { check.reset() }
        return try check.step() && check.text(0, equals: "ok")
    }
}
