internal import AppStore
internal import Foundation
internal import GRDB
public import LedgerStore

/// The audit, without any cached state.
extension EventLog {
    /// Pages are checked on all cores and walked in order; memory stays at a few pages. Tombstones
    /// are walked over, since leaves commit to hashes, and reported: no event of this release
    /// authorises one.
    public func verify(
        progress: @Sendable (_ done: Int64, _ all: Int64) -> Void
    ) async throws(StoreError) -> LogAuditReport {
        var walk = AuditWalk()
        do throws(StoreError) {
            guard let head = try await read({ try AuditHead.read($0) }) else {
                walk.add(LogFinding(.headMismatch))
                return walk.report
            }
            walk = try await walkEvents(through: head.lastPosition, progress)
            walk.finish(head)
            for finding in try await read({ try AuditHeaders.findings($0) }) { walk.add(finding) }
            for (index, sum) in [(AuditIndex.keys, walk.keys), (.identities, walk.identities)]
            where try await !holds(index, sum, through: head.lastPosition) {
                walk.add(LogFinding(.keyIndexMismatch))
            }
            let others = try await read { [file] in try AuditSchema.findings($0, of: file) }
            for finding in others { walk.add(finding) }
        } catch {
            guard error.isAudited else { throw error }
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
                var (rows, header) = try await auditRows(after: position, through: end)
                while let last = rows.last {
                    group.addTask { [rows, header, index] in
                        AuditPage(index: index, rows: rows, largestHeader: header)
                    }
                    index += 1
                    position = last.position
                    while index - nextIndex >= width, let page = await group.next() {
                        early[page.index] = page
                        AuditWalk.take(&early, &nextIndex, into: &walk)
                        progress(position, end)
                    }
                    (rows, header) = try await auditRows(after: position, through: end)
                }
            } catch {
                failure = error
            }
            for await page in group { early[page.index] = page }
            AuditWalk.take(&early, &nextIndex, into: &walk)
            guard let failure else { return Result<AuditWalk, StoreError>.success(walk) }
            guard failure.isAudited else { return .failure(failure) }
            walk.add(LogFinding(.fileDamaged))
            return .success(walk)
        }
        return try result.get()
    }

    public func auditedPage(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (events: [LoggedEvent], last: Int64)? {
        let rows = try await auditRows(after: position, through: through).rows
        return rows.last.map { last in (rows.compactMap { $0.logged }, last.position) }
    }

    private func auditRows(
        after position: Int64, through: Int64
    ) async throws(StoreError) -> (rows: [AuditRow], largestHeader: Int64) {
        try await read { [path] database in
            // Headers are read from the file, not from the cache: they are to be checked.
            var reader = try AuditReader(database, path: path)
            let rows = try reader.read(after: position, through: through)
            return (rows, reader.largestHeader)
        }
    }

    /// Whether the index points to exactly the rows in the sum. Also false when the index is
    /// missing or cannot be read.
    private func holds(
        _ index: AuditIndex, _ wanted: KeySetDigest, through end: Int64
    ) async throws(StoreError) -> Bool {
        var sum = KeySetDigest()
        var last: AuditIndex.Entry?
        do throws(StoreError) {
            repeat {
                let page = try await read { [last] in try index.entries($0, after: last) }
                guard let page else { return false }
                // Concurrent appends are not counted.
                for entry in page where entry.position <= end {
                    sum.add(entry.digest, entry.position)
                }
                last = page.last
            } while last != nil
        } catch {
            guard error.isAudited else { throw error }
            return false
        }
        return sum == wanted
    }
}

extension StoreError {
    /// Whether an audit reports the error instead of throwing it: the file is damaged, or lacks an
    /// object that a query names.
    fileprivate var isAudited: Bool { isDamage || code == .databaseFailure }
}

extension AuditWalk {
    /// Walks the pages that are next in order and removes them from `early`.
    static func take(
        _ early: inout [Int: AuditPage], _ next: inout Int, into walk: inout AuditWalk
    ) {
        while let page = early.removeValue(forKey: next) {
            walk.add(page)
            next += 1
        }
    }
}
