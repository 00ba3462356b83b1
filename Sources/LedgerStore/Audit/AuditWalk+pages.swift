internal import Foundation

extension AuditWalk {
    /// Reads pages with `rows`, checks them on all cores and walks them in order. Damage that ends
    /// the reading is a finding. `progress` receives the positions done and in total.
    package static func pages(
        through end: Int64, _ progress: @Sendable (Int64, Int64) async -> Void,
        reading readRows: (_ after: Int64, _ through: Int64) async throws(StoreError) -> (
            rows: [AuditRow], largestHeader: Int64
        )
    ) async throws(StoreError) -> AuditWalk {
        let width = ProcessInfo.processInfo.activeProcessorCount
        let result = await withTaskGroup(of: AuditPage.self) { group in
            var walk = AuditWalk()
            var (position, index, nextIndex): (Int64, Int, Int) = (0, 0, 0)
            var early: [Int: AuditPage] = [:]
            var failure: StoreError?
            do throws(StoreError) {
                var (rows, header) = try await readRows(position, end)
                while let last = rows.last {
                    group.addTask { [rows, header, index] in
                        AuditPage(index: index, rows: rows, largestHeader: header)
                    }
                    index += 1
                    position = last.position
                    while index - nextIndex >= width, let page = await group.next() {
                        early[page.index] = page
                        take(&early, &nextIndex, into: &walk)
                        await progress(position, end)
                    }
                    (rows, header) = try await readRows(position, end)
                }
            } catch {
                failure = error
            }
            for await page in group { early[page.index] = page }
            take(&early, &nextIndex, into: &walk)
            guard let failure else { return Result<AuditWalk, StoreError>.success(walk) }
            guard failure.isAudited else { return .failure(failure) }
            walk.add(LogFinding(.fileDamaged))
            return .success(walk)
        }
        return try result.get()
    }

    /// Walks the pages that are next in order and removes them from `early`.
    private static func take(
        _ early: inout [Int: AuditPage], _ next: inout Int, into walk: inout AuditWalk
    ) {
        while let page = early.removeValue(forKey: next) {
            walk.add(page)
            next += 1
        }
    }
}

extension StoreError {
    /// Whether an audit reports the error instead of throwing it: the file is damaged, or lacks an
    /// object that a query names.
    package var isAudited: Bool { isDamage || code == .databaseFailure }
}
