internal import AppStore
internal import GRDB
internal import GRDBSQLite
internal import LedgerStore
internal import Signing

/// Audit of the stored headers.
enum AuditHeaders {
    /// Checks that every header matches its hash, and is found by its id and by its hash.
    static func findings(_ database: Database) throws -> [LogFinding] {
        try database.rows("SELECT id, hash, bytes FROM headers ORDER BY id") { row in
            guard row.storageClass(1) == .blob, row.storageClass(2) == .blob,
                let hash = row.digest(1), row.withBytes(2, { SHA256.hash($0) }) == hash
            else { return LogFinding(.headerHashMismatch) }
            let id = row.int64(0)
            let byHash = "SELECT id FROM headers WHERE hash = ?"
            let byId = "SELECT id FROM headers WHERE id = ?"
            let isFound =
                try database.rows(byHash, hash) { $0.int64(0) }.first == id
                && database.hasRow(byId, id)
            return isFound ? nil : LogFinding(.keyIndexMismatch)
        }
    }
}

/// Audit of a file's schema, trees and space records.
enum AuditSchema {
    /// Compares the schema with this release's, text by text: a changed comment counts as damage
    /// too. Reads the whole file in one transaction.
    static func findings(_ database: Database, of file: DatabaseFile) throws -> [LogFinding] {
        var findings: [LogFinding] = []
        let expected = try SchemaObjects.made { try SchemaMigrator(file: file).run($0) }
        if try SchemaObjects.all(database) != expected {
            findings.append(LogFinding(.schemaMismatch))
        }
        if try !hasSoundTrees(database) || !hasSoundFreeList(database) {
            findings.append(LogFinding(.fileDamaged))
        }
        return findings
    }

    /// https://www.sqlite.org/pragma.html#pragma_integrity_check
    private static func hasSoundTrees(_ database: Database) throws -> Bool {
        try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") == "ok"
    }

    /// Whether the file header names a list of free pages where it counts any, and only there.
    /// SQLite's check accepts a count without a list; the next append then fails
    /// (https://www.sqlite.org/fileformat2.html#the_database_header).
    private static func hasSoundFreeList(_ database: Database) throws -> Bool {
        let (file, methods) = try database.openFile(SQLITE_FCNTL_FILE_POINTER)
        var record = [UInt8](repeating: 0, count: 8)
        let code = methods.xRead(file, &record, Int32(record.count), 32)
        // SQLite fills what is missing at the end with zeros.
        guard code == SQLITE_OK || ResultCode(rawValue: code) == .SQLITE_IOERR_SHORT_READ else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        return record[..<4].contains { $0 != 0 } == record[4...].contains { $0 != 0 }
    }
}
