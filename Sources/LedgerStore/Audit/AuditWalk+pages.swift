extension AuditWalk {
    /// Reads pages with `rows`, checks the rows of each on all cores, and walks them in order.
    /// Damage that ends the reading is a finding. `progress` receives the positions done and in
    /// total. Throws `closed` when the task is cancelled.
    package static func pages(
        through end: Int64, _ progress: @Sendable (Int64, Int64) async -> Void,
        reading readRows: (_ after: Int64, _ through: Int64) async throws(StoreError) -> (
            rows: [AuditRow], largestHeader: Int64
        )
    ) async throws(StoreError) -> AuditWalk {
        var walk = AuditWalk()
        var position: Int64 = 0
        do throws(StoreError) {
            while true {
                try StoreError.requireNotCancelled()
                let (rows, header) = try await readRows(position, end)
                guard let last = rows.last else { return walk }
                let checked = await Parallel.map(rows) { row -> CheckedRow in
                    (row, row.findings(), row.leafHash)
                }
                walk.add(checked, largestHeader: header)
                position = last.position
                await progress(position, end)
            }
        } catch {
            guard error.isAudited else { throw error }
            walk.add(LogFinding(.fileDamaged))
            return walk
        }
    }
}

extension StoreError {
    /// Whether an audit reports the error instead of throwing it: the file is damaged, or a table
    /// or column is missing (`databaseFailure` of SQLite, which has no code for that).
    package var isAudited: Bool { isDamage || [.databaseFailure, .fileChanged].contains(code) }
}
