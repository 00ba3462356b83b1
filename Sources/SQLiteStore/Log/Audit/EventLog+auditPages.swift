internal import AppStore
internal import GRDB
internal import LedgerStore
internal import Synchronization

extension EventLog {
    /// How often an unsound page is checked again, and after what delay.
    private static let pageAttemptCount = 100
    private static let pageInterval: Duration = .milliseconds(20)

    /// Whether the free space records of every page are sound. SQLite's full check also verifies
    /// that no page is lost or used twice; the walk over the rows has shown that.
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

    /// Whether a page is sound once none of it is in the write-ahead log. True where other
    /// connections block the checkpoint the whole time, since it then cannot be determined.
    private func isSound(_ page: Int, _ pages: AuditPages) async throws(StoreError) -> Bool {
        for _ in 0..<EventLog.pageAttemptCount {
            let isMoved = await isWriteAheadLogMoved()
            let isSound = try await read { try pages.isSound($0, page: page) }
            if isSound { return true }
            // A page that was being written is complete at the next check.
            try? await Task.sleep(for: EventLog.pageInterval)
            if isMoved, try await !read({ try pages.isSound($0, page: page) }) { return false }
        }
        return true
    }

    /// Moves the write-ahead log into the file; returns whether all of it was moved.
    private func isWriteAheadLogMoved() async -> Bool {
        await withCheckedContinuation { continuation in
            checkpointer.asyncWriteWithoutTransaction { [self] database in
                guard !state.withLock({ $0.isClosed }), (try? requireFile()) != nil,
                    // A new connection detects that the file has a write-ahead log by reading it.
                    (try? Int.fetchOne(database, sql: "SELECT position FROM head")) != nil,
                    let counts = try? database.checkpoint(.passive)
                else { return continuation.resume(returning: false) }
                continuation.resume(
                    returning: counts.walFrameCount == counts.checkpointedFrameCount)
            }
        }
    }
}
