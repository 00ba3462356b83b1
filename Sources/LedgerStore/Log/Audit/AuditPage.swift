internal import AppStore

/// A page of rows with what was found in each, checked on any thread; put in order by `index`.
struct AuditPage: Sendable {
    let index: Int
    let rows: [AuditRow]
    let findings: [LogFinding]
    /// The recomputed leaf hash of each row; nil where the row cannot be read.
    let leafHashes: [Digest?]

    init(index: Int, rows: [AuditRow]) {
        self.index = index
        self.rows = rows
        findings = rows.flatMap { $0.findings() }
        leafHashes = rows.map { $0.event?.computedLeafHash() }
    }
}
