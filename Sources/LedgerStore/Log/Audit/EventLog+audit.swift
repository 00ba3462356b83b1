internal import AppStore
internal import Foundation
internal import GRDB

/// The audit: every hash computed again from what is in the file, nothing taken from memory.
extension EventLog {
    /// Recomputes every leaf hash from its row, every evidence and payload hash from the bytes put
    /// together again, the tree, the headers and the keys; tombstones are accepted.
    ///
    /// Pages are checked on all cores and walked in order; memory stays at a few pages. `progress`
    /// is told positions done and in all. Damage is reported, not thrown: throws only `ioError`,
    /// `fileLocked` or `closed`.
    public func verify(
        progress: @Sendable (_ done: Int64, _ all: Int64) -> Void = { _, _ in }
    ) async throws(StoreError) -> LogAuditReport {
        var walk = AuditWalk()
        do throws(StoreError) {
            guard let head = try await read({ try AuditHead.read($0) }) else {
                walk.add(LogFinding(.headMismatch))
                return walk.report
            }
            walk = try await walkEvents(through: head.lastPosition, progress)
            walk.finish(head)
            for finding in try await headerFindings() { walk.add(finding) }
            if await !holdsKeys(walk.keys, through: head.lastPosition) {
                walk.add(LogFinding(.keyIndexMismatch))
            }
        } catch {
            guard error.isDamage else { throw error }
            walk.add(LogFinding(.fileDamaged))
        }
        return walk.report
    }

    private func walkEvents(
        through end: Int64, _ progress: @Sendable (Int64, Int64) -> Void
    ) async throws(StoreError) -> AuditWalk {
        let width = ProcessInfo.processInfo.activeProcessorCount
        let result = await withTaskGroup(of: AuditPage.self) { group in
            var walk = AuditWalk()
            var (position, index, nextIndex): (Int64, Int, Int) = (0, 0, 0)
            var early: [Int: AuditPage] = [:]
            var failure: StoreError?
            do throws(StoreError) {
                var rows = try await auditRows(after: position, through: end)
                while let last = rows.last {
                    group.addTask { [rows, index] in AuditPage(index: index, rows: rows) }
                    index += 1
                    position = last.position
                    while index - nextIndex >= width, let page = await group.next() {
                        early[page.index] = page
                        AuditWalk.take(&early, &nextIndex, into: &walk)
                        progress(position, end)
                    }
                    rows = try await auditRows(after: position, through: end)
                }
            } catch {
                failure = error
            }
            for await page in group { early[page.index] = page }
            AuditWalk.take(&early, &nextIndex, into: &walk)
            guard let failure else { return Result<AuditWalk, StoreError>.success(walk) }
            guard failure.isDamage else { return .failure(failure) }
            walk.add(LogFinding(.fileDamaged))
            return .success(walk)
        }
        return try result.get()
    }

    private func auditRows(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> [AuditRow] {
        try await read { [path] database in
            // No header is taken from memory: those in the file are to be checked.
            var reader = try AuditReader(database, path: path)
            return try reader.read(after: position, through: through)
        }
    }

    private func headerFindings() async throws(StoreError) -> [LogFinding] {
        try await read { try AuditReader.headerFindings($0) }
    }

    /// False, too, when there is no such index or it cannot be read.
    private func holdsKeys(_ keys: KeySum, through end: Int64) async -> Bool {
        (try? await indexedKeys(through: end)) == keys
    }

    private func indexedKeys(through end: Int64) async throws(StoreError) -> KeySum {
        var sum = KeySum()
        var last: Digest?
        repeat {
            let page = try await read { [last] in
                try AuditReader.indexedKeys($0, after: last, through: end)
            }
            for (key, position) in page.keys { sum.add(key, position) }
            last = page.last
        } while last != nil
        return sum
    }
}

extension AuditWalk {
    /// Walks the pages that are next in order and drops them.
    static func take(
        _ early: inout [Int: AuditPage], _ next: inout Int, into walk: inout AuditWalk
    ) {
        while let page = early.removeValue(forKey: next) {
            walk.add(page)
            next += 1
        }
    }
}
