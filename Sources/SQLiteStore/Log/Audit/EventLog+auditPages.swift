internal import AppStore
internal import GRDB
internal import LedgerStore
internal import Synchronization

extension EventLog {
    /// How often a page that makes no sense is looked at again, and how long after.
    private static let pageAttemptCount = 100
    private static let pageInterval: Duration = .milliseconds(20)

    /// Whether every page of the file says the truth about its own room. What SQLite's check of the
    /// whole tells besides, that no page is missed or used twice, the walk over the rows has shown.
    func hasSoundPages() async throws(StoreError) -> Bool {
        let pages = AuditPages(pageByteCount: EventLog.pageByteCount)
        var next: Int? = 1
        while let first = next {
            let found = try await read { try pages.next($0, from: first) }
            for page in found.unsound where try await !isSound(page, pages) { return false }
            next = found.next
        }
        return true
    }

    /// Whether a page makes sense once nothing of it stands in the write-ahead log any more. True where
    /// others keep that from being moved for all this time: then nobody can tell.
    private func isSound(_ page: Int, _ pages: AuditPages) async throws(StoreError) -> Bool {
        for _ in 0..<EventLog.pageAttemptCount {
            let isMoved = await isWriteAheadLogMoved()
            let isSound = try await read { try pages.isSound($0, page: page) }
            if isSound { return true }
            // It may be written just now: by the next look it was.
            try? await Task.sleep(for: EventLog.pageInterval)
            if isMoved, try await !read({ try pages.isSound($0, page: page) }) { return false }
        }
        return true
    }

    /// Moves what stands in the write-ahead log into the file; whether that was all.
    private func isWriteAheadLogMoved() async -> Bool {
        await withCheckedContinuation { continuation in
            checkpointer.asyncWriteWithoutTransaction { [self] database in
                guard !state.withLock({ $0.isClosed }), (try? requireFile()) != nil,
                    // A fresh connection learns that the file has a write-ahead log by reading it.
                    (try? Int.fetchOne(database, sql: "SELECT position FROM head")) != nil,
                    let counts = try? database.checkpoint(.passive)
                else { return continuation.resume(returning: false) }
                continuation.resume(
                    returning: counts.walFrameCount == counts.checkpointedFrameCount)
            }
        }
    }
}
