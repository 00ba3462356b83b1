internal import AppStore
internal import Ledger

/// The state an audit carries from page to page, in order: tree, clock and keys.
package struct AuditWalk {
    package private(set) var report = LogAuditReport()
    package private(set) var keys = KeySetDigest()
    package private(set) var identities = KeySetDigest()
    private var tree = CompactRange()
    private var newestReceivedAt: Timestamp?
    private var nextPosition: Int64 = 1
    private var isTreeKnown = true
    private var largestHeader: Int64 = 0
    /// Whether the headers of all evidence could be determined.
    private var areHeadersKnown = true
    /// Positions without evidence that no erasure has named yet, and those whose rows are
    /// tombstones.
    private var unnamed: Set<Int64> = []
    private var tombstones: Set<Int64> = []

    package init() {
    }

    package mutating func add(_ finding: LogFinding) { report.add(finding) }

    /// Adds the next rows, in order.
    ///
    /// - Parameter header: the largest header id that their evidence refers to; 0 for none.
    mutating func add(_ rows: [CheckedRow], largestHeader header: Int64) {
        largestHeader = max(largestHeader, header)
        for checked in rows {
            let row = checked.row
            if row.position != nextPosition {
                report.add(LogFinding(.positionMissing, at: nextPosition))
                isTreeKnown = false
            }
            nextPosition = row.position &+ 1
            for finding in checked.findings { report.add(finding) }
            count(row)
            if let leafHash = checked.leafHash {
                tree.append(leafHash)
            } else {
                isTreeKnown = false
            }
        }
    }

    private mutating func count(_ row: AuditRow) {
        report.eventCount += 1
        if case .erased = row.evidence {
            report.tombstoneCount += 1
            unnamed.insert(row.position)
            if row.isTombstone { tombstones.insert(row.position) }
        }
        for position in row.erasedPositions ?? [] {
            unnamed.remove(position)
            if !tombstones.contains(position) {
                report.add(LogFinding(.evidenceNotErased, at: position))
            }
        }
        if case .packed = row.evidence {} else { areHeadersKnown = false }
        guard let event = row.event else { return }
        keys.add(event.key, event.position)
        if let identity = event.identity { identities.add(identity, event.position) }
        guard !event.receivedAtClaimed else { return }
        if let newest = newestReceivedAt, event.receivedAt < newest {
            report.add(LogFinding(.timeGoesBack, at: event.position))
        }
        newestReceivedAt = max(newestReceivedAt ?? event.receivedAt, event.receivedAt)
    }

    /// Accepts tombstones that erasures after `end` name: an erasure that commits during the walk
    /// changes rows that are read afterwards.
    package mutating func acceptErasures(
        of log: any LedgerLog, after end: Int64
    ) async throws(StoreError) {
        guard !unnamed.isEmpty else { return }
        var position = end
        while let page = try await log.auditedPage(after: position, through: .max) {
            position = page.last
            for logged in page.events where logged.event.attributes.kind == .erasure {
                let evidence = try logged.originalBytes()
                unnamed.subtract(evidence.flatMap { Erasure(evidence: $0) }?.positions ?? [])
            }
        }
    }

    /// Compares the result of the walk with the head row as it was at the start.
    package mutating func finish(_ head: AuditHead) {
        for position in unnamed.sorted() { report.add(LogFinding(.evidenceErased, at: position)) }
        report.head = head.row
        report.lastPosition = head.lastPosition
        for position in head.surplusEvidence {
            report.add(LogFinding(.evidenceSurplus, at: position))
        }
        let isUnreferenced = areHeadersKnown && largestHeader < head.largestHeader
        if !head.hasContiguousHeaders || isUnreferenced { report.add(LogFinding(.headerSurplus)) }
        if nextPosition <= head.position {
            report.add(LogFinding(.positionMissing, at: nextPosition))
        }
        if !isTreeKnown || tree.root != head.root || tree.bytes != head.tree {
            report.add(LogFinding(.treeMismatch))
        }
        if !head.isConsistent || head.newestReceivedAt != newestReceivedAt {
            report.add(LogFinding(.headMismatch))
        }
    }
}
