public import AppStore
internal import Foundation
internal import GRDB
public import LedgerStore

extension OperationsStore {
    /// The state of an upload's key.
    public enum UploadKey: Hashable, Sendable {
        /// The key is now assigned to this request.
        case new
        /// The key belongs to the same request, which is not answered yet.
        case open
        /// This request was answered.
        case answered(UploadRecord)
        /// The key belongs to another request.
        case taken
    }

    /// How long keys are kept, milliseconds.
    public static let uploadKeyMilliseconds: Int64 = 24 * 3_600_000
    /// Keys kept; beyond it the oldest is dropped.
    public static let uploadKeyCount = 100_000

    /// Assigns a key to a request, or returns its state.
    ///
    /// - Parameter request: SHA-256 of the body.
    public func take(
        uploadKey key: String, request: Digest, at now: Timestamp
    ) async throws(StoreError) -> UploadKey {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM upload_keys WHERE taken_at <= ?",
                arguments: [now.milliseconds - OperationsStore.uploadKeyMilliseconds])
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM upload_keys WHERE key = ?", arguments: [key])
            if let row {
                guard row["request"] == Data(request.bytes) else { return .taken }
                return OperationsStore.record(row).map { .answered($0) } ?? .open
            }
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM upload_keys") ?? 0
            if count >= OperationsStore.uploadKeyCount {
                try database.execute(
                    sql: """
                        DELETE FROM upload_keys WHERE key IN
                            (SELECT key FROM upload_keys ORDER BY taken_at, key LIMIT ?)
                        """, arguments: [count - OperationsStore.uploadKeyCount + 1])
            }
            try database.execute(
                sql: "INSERT INTO upload_keys (key, request, taken_at) VALUES (?, ?, ?)",
                arguments: [key, Data(request.bytes), now.milliseconds])
            return .new
        }
    }

    /// Stores the record from which a request is answered, unless there is one; returns the stored
    /// record.
    public func keep(
        _ record: UploadRecord, uploadKey key: String
    ) async throws(StoreError) -> UploadRecord {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE upload_keys
                    SET result = ?, event_position = ?, claim = ?, at = ?, position = ?
                    WHERE key = ? AND result IS NULL
                    """,
                arguments: [
                    record.result, record.eventPosition, record.claim, record.at.milliseconds,
                    record.position, key,
                ])
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM upload_keys WHERE key = ?", arguments: [key])
            return row.flatMap { OperationsStore.record($0) } ?? record
        }
    }

    /// Releases a key whose request was refused.
    public func forget(uploadKey key: String) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM upload_keys WHERE key = ? AND result IS NULL", arguments: [key])
        }
    }

    private static func record(_ row: Row) -> UploadRecord? {
        guard let result: String = row["result"], let event: Int64 = row["event_position"],
            let at: Int64 = row["at"], let position: Int64 = row["position"]
        else { return nil }
        return UploadRecord(
            result: result, eventPosition: event, claim: row["claim"],
            at: Timestamp(milliseconds: at), position: position)
    }
}
