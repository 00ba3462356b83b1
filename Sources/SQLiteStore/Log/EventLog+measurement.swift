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
