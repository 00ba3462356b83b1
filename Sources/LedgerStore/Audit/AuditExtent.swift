/// The contents of the tables other than `events` at the moment the head row was read. Later rows
/// belong to concurrent appends.
package struct AuditExtent: Sendable {
    /// Positions of evidence without an event, the first `LogAuditReport.findingLimit`.
    let surplusEvidence: [Int64]
    let headerCount: Int64
    /// 0 for none.
    let largestHeader: Int64
    let smallestHeader: Int64

    package init(
        surplusEvidence: [Int64], headerCount: Int64, largestHeader: Int64, smallestHeader: Int64
    ) {
        self.surplusEvidence = surplusEvidence
        self.headerCount = headerCount
        self.largestHeader = largestHeader
        self.smallestHeader = smallestHeader
    }

    /// Appending gives headers the ids 1…n without a gap, even across rollbacks.
    var hasContiguousHeaders: Bool {
        headerCount == largestHeader && (headerCount == 0 || smallestHeader == 1)
    }
}
