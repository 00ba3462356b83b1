/// A row of the log together with its evidence.
public struct LoggedEvent: Sendable {
    public let event: RecordedEvent
    /// Nil when there are no bytes: they were erased (the row is a tombstone, its hashes remain),
    /// or the stored bytes are damaged and `damage` is set.
    public let evidence: PackedEvidence?
    /// Why the stored bytes cannot be read; nil for intact evidence and for a tombstone. Damage
    /// concerns one row only: it is returned here instead of thrown, so that no chain stops the
    /// others (`Log.md` §3).
    public let damage: StoreError?

    package init(event: RecordedEvent, evidence: PackedEvidence?, damage: StoreError? = nil) {
        self.event = event
        self.evidence = evidence
        self.damage = damage
    }

    /// A row with the evidence that `read` returns; where that throws `fileCorrupt`, with the
    /// damage.
    package init(
        _ event: RecordedEvent, in location: String, reading read: () throws -> PackedEvidence?
    ) throws {
        func unreadable(_ part: String) -> StoreError {
            StoreError(
                .fileCorrupt, path: location,
                reason: "The \(part) of position \(event.position) cannot be read.",
                remedy: PackedEvidence.unreadable.remedy)
        }
        guard !event.isDamaged else {
            // The evidence of a damaged row is not read: reading it depends on the row.
            self.init(event: event, evidence: nil, damage: unreadable("row"))
            return
        }
        let evidence: PackedEvidence?
        do { evidence = try read() } catch let error as StoreError where error.code == .fileCorrupt
        {
            self.init(event: event, evidence: nil, damage: unreadable("evidence"))
            return
        }
        self.init(event: event, evidence: evidence)
    }

    /// The evidence exactly as it was received; nil for a tombstone. Throws `fileCorrupt` when the
    /// stored bytes are damaged.
    public func originalBytes() throws(StoreError) -> [UInt8]? {
        if let damage { throw damage }
        return try evidence?.originalBytes()
    }
}
