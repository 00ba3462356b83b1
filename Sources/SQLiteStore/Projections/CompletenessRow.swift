internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// A row of `completeness`: what is certain about an app from a position on.
enum CompletenessRow {
    /// Inserts states, or replaces those of the same positions.
    static func insert(_ states: [Completeness.State], _ database: Database) throws {
        for state in states {
            try FileTables(database: database).insert(
                into: "completeness",
                [
                    "position": state.position, "bundle_id": state.bundleId,
                    "received_at": state.receivedAt, "complete_from": state.window?.from,
                    "complete_through": state.window?.through,
                    "version_one_at": state.versionOneAt,
                ], replacing: ["position"])
        }
    }

    static func read(_ database: Database) throws -> Completeness {
        let states = try database.rows(
            """
            SELECT position, bundle_id, received_at, complete_from, complete_through, version_one_at
            FROM completeness ORDER BY position
            """
        ) { row in
            let through = row.optionalTime(4)
            return Completeness.State(
                bundleId: BundleId(row.requiredText(1)), position: row.int64(0),
                receivedAt: row.time(2),
                window: row.optionalTime(3).flatMap { from in
                    through.map { CompleteWindow(from: from, through: $0) }
                },
                versionOneAt: row.optionalTime(5))
        }
        return Completeness(states: states)
    }
}

extension ProjectionsStore {
    /// Up to when everything Apple sent is certain to be stored, per app, as of this file's
    /// position.
    public func completeness() async throws(StoreError) -> Completeness {
        try await read { try CompletenessRow.read($0) }
    }
}
