package import AppStore

/// A page of rows with the findings of each, checked on any thread; ordered by `index`.
package struct AuditPage: Sendable {
    package let index: Int
    package let rows: [AuditRow]
    /// The largest header id that the rows' evidence refers to; 0 for none.
    package let largestHeader: Int64
    package let findings: [LogFinding]
    /// The recomputed leaf hash of each row; nil where the row cannot be read.
    package let leafHashes: [Digest?]

    package init(index: Int, rows: [AuditRow], largestHeader: Int64) {
        self.index = index
        self.rows = rows
        self.largestHeader = largestHeader
        findings = rows.flatMap { $0.findings() }
        leafHashes = rows.map(\.leafHash)
    }
}
