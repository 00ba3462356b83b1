import Foundation
import GRDB
import GRDBSQLite

/// What the disk and SQLite do alone with the same bytes: the yardsticks of a log.
enum BareStorage {
    /// Seconds taken by each of `count` appends of `byteCount` bytes with fdatasync. Blocks.
    static func synchronizations(directory: String, count: Int, byteCount: Int) -> [Double] {
        let path = "\(directory)/bare-fsync"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return [] }
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 0x5A, count: byteCount)
        let clock = ContinuousClock()
        return (0..<count).map { _ in
            let elapsed = clock.measure {
                _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                fdatasync(descriptor)
            }
            return elapsed / .seconds(1)
        }
    }

    /// Rows per second that SQLite alone inserts durably: two tables with no index but their keys,
    /// batches of `batchCount`, the same bytes. Blocks.
    static func inserts(
        directory: String, count: Int, batchCount: Int, rowByteCount: Int, bodyByteCount: Int
    ) throws -> Double {
        let path = "\(directory)/bare-insert.sqlite"
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) } }
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.inDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA page_size = 8192; PRAGMA synchronous = FULL;
                    PRAGMA wal_autocheckpoint = 0; PRAGMA journal_mode = WAL;
                    CREATE TABLE a (id INTEGER PRIMARY KEY, bytes BLOB) STRICT;
                    CREATE TABLE b (id INTEGER PRIMARY KEY, bytes BLOB) STRICT
                    """)
            let row = [UInt8](repeating: 1, count: rowByteCount)
            let body = [UInt8](repeating: 2, count: bodyByteCount)
            let first = try database.makeStatement(sql: "INSERT INTO a (bytes) VALUES (?)")
            let second = try database.makeStatement(sql: "INSERT INTO b (bytes) VALUES (?)")
            let elapsed = try ContinuousClock().measure {
                for start in stride(from: 0, to: count, by: batchCount) {
                    try database.beginTransaction(.immediate)
                    for _ in start..<min(count, start + batchCount) {
                        try insert(row, first)
                        try insert(body, second)
                    }
                    try database.commit()
                }
            }
            return Double(count) / (elapsed / .seconds(1))
        }
    }

    /// Not with GRDB's conversions of values, which the log does not use either.
    private static func insert(_ bytes: [UInt8], _ statement: Statement) throws {
        let handle = statement.sqliteStatement
        _ = bytes.withUnsafeBytes {
            sqlite3_bind_blob(handle, 1, $0.baseAddress, Int32($0.count), copied)
        }
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    /// SQLITE_TRANSIENT (https://www.sqlite.org/c3ref/c_static.html).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
