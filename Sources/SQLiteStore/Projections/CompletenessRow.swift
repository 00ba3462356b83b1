internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// A row of `completeness`: what is certain about an app from a position on.
enum CompletenessRow {
    static func insert(_ states: [Completeness.State], _ database: Database) throws {
        guard !states.isEmpty else { return }
        let insert = try PreparedStatement(
            database,
            """
            INSERT INTO completeness
                (position, bundle_id, received_at, complete_from, complete_through)
            VALUES (?, ?, ?, ?, ?)
            """)
        for state in states {
            insert.bind(1, state.position)
            insert.bind(2, state.bundleId.rawValue)
            insert.bind(3, state.receivedAt.milliseconds)
            insert.bind(4, state.from.milliseconds)
            insert.bind(5, state.through.milliseconds)
            try insert.runInsert()
        }
    }

    static func read(_ database: Database) throws -> Completeness {
        let select = try PreparedStatement(
            database,
            """
            SELECT position, bundle_id, received_at, complete_from, complete_through
            FROM completeness ORDER BY position
            """)
        defer { select.reset() }
        var states: [Completeness.State] = []
        while try select.step() {
            states.append(
                Completeness.State(
                    bundleId: BundleId(select.text(1) ?? ""), position: select.int64(0),
                    receivedAt: Timestamp(milliseconds: select.int64(2)),
                    from: Timestamp(milliseconds: select.int64(3)),
                    through: Timestamp(milliseconds: select.int64(4))))
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
