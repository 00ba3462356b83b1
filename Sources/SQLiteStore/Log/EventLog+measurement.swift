internal import AppStore
internal import Foundation
internal import GRDB
internal import Ledger
package import LedgerStore
internal import Signing

/// For measurements only.
extension EventLog {
    /// Creates a log that claims to have reached `position` but holds only the event there: for
    /// measuring readers of the tail of a long log without writing the long log first. Such a log
    /// never verifies.
    ///
    /// The directory must hold no log. Throws the errors of opening a log.
    package static func makeTail(
        directory: String, at position: Int64
    ) async throws(StoreError) -> ProjectionCursor {
        try await open(directory: directory).close()
        let path = (directory as NSString).appendingPathComponent(fileName)
        let leaf = SHA256.hash(Array("leaf \(position)".utf8))
        return try await Blocking.run { () throws(StoreError) in
            do {
                let queue = try DatabaseQueue(path: path)
                try queue.write { database in try writeTail(position, leaf, path, database) }
                try queue.close()
            } catch {
                throw StoreError(error, path: path)
            }
            return ProjectionCursor(position: position, leafHash: leaf)
        }
    }

    private static func writeTail(
        _ position: Int64, _ leaf: Digest, _ path: String, _ database: Database
    ) throws {
        let nodes = (0..<position.nonzeroBitCount).flatMap { _ in leaf.bytes }
        guard let tree = CompactRange(size: position, bytes: nodes) else {
            throw StoreError.corrupt(path: path, "No tree has that size.")
        }
        let insert = try PreparedStatement(database, EventRow.insert)
        EventRow.bind(
            RecordedEvent(
                position: position, key: leaf,
                attributes: EventAttributes(
                    kind: .appTransaction, source: .operator, trust: .operator,
                    bundleId: BundleId("")),
                receivedAt: Timestamp(milliseconds: 0), receivedAtClaimed: true, identity: nil,
                payloadHash: leaf, evidenceHash: leaf, leafHash: leaf),
            to: insert)
        _ = try insert.run()
        try HeadRow(tree: tree, newestReceivedAt: nil).write(database)
    }
}

/// Sizes on disk, and the two limits that apply to every log.
package enum MeasuredFiles {
    /// A database's file and its write-ahead log.
    package static func byteCount(_ path: String) -> Int64 {
        ["", "-wal"].reduce(Int64(0)) { sum, suffix in
            var status = stat()
            return stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Seconds taken by each of `count` appends of `byteCount` bytes with fdatasync. Blocks.
    package static func bareSynchronizations(
        directory: String, count: Int, byteCount: Int
    ) -> [Double] {
        let path = "\(directory)/bare-fsync"
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return [] }
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 0x5A, count: byteCount)
        let clock = ContinuousClock()
        return (0..<count).map { _ in
            let elapsed = clock.measure {
                _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                fdatasync(descriptor)
            }
            return elapsed / .seconds(1)
        }
    }

    /// Rows per second that SQLite alone inserts durably: two tables with no index but their keys,
    /// batches of `batchCount`, the same bytes. Blocks.
    package static func bareInserts(
        directory: String, count: Int, batchCount: Int, rowByteCount: Int, bodyByteCount: Int
    ) throws(StoreError) -> Double {
        let path = "\(directory)/bare-insert.sqlite"
        defer { DerivedFile.discard(path) }
        do {
            let queue = try DatabaseQueue(
                path: path,
                configuration: Configuration(pragmas: [
                    "page_size = \(EventLog.pageByteCount)", "synchronous = FULL",
                    "wal_autocheckpoint = 0",
                ]))
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                try database.execute(
                    sql: """
                        PRAGMA journal_mode = WAL;
                        CREATE TABLE a (id INTEGER PRIMARY KEY, bytes BLOB) STRICT;
                        CREATE TABLE b (id INTEGER PRIMARY KEY, bytes BLOB) STRICT
                        """)
                let row = [UInt8](repeating: 1, count: rowByteCount)
                let body = [UInt8](repeating: 2, count: bodyByteCount)
                let inserts = try ["a", "b"].map {
                    try PreparedStatement(database, "INSERT INTO \($0) (bytes) VALUES (?)")
                }
                let elapsed = try ContinuousClock().measure {
                    for start in stride(from: 0, to: count, by: batchCount) {
                        try database.beginTransaction(.immediate)
                        for _ in start..<min(count, start + batchCount) {
                            inserts[0].bind(1, row)
                            _ = try inserts[0].run()
                            inserts[1].bind(1, body)
                            _ = try inserts[1].run()
                        }
                        try database.commit()
                    }
                }
                return Double(count) / (elapsed / .seconds(1))
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
