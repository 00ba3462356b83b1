internal import GRDB
public import LedgerStore

/// The tree, and what waits to be appended.
extension EventLog {
    public func tree() async throws(StoreError) -> CompactRange {
        try await read { [path] database in try HeadRow.read(database, path: path).tree }
    }

    public var waiting: (eventCount: Int, byteCount: Int) { commits.waiting }

    public var writingSince: ContinuousClock.Instant? { commits.writingSince }
}
