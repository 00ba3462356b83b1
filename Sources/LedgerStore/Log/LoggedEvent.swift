/// A row of the log together with its evidence.
public struct LoggedEvent: Sendable {
    public let event: RecordedEvent
    /// Nil when there are no bytes: they were erased (the row is a tombstone, its hashes remain),
    /// or what is stored makes no sense, and `damage` says so.
    public let evidence: PackedEvidence?
    /// Why the stored bytes cannot be read; nil for sound evidence and for a tombstone. Damage is
    /// one row's own: it is told here and not thrown, so that no chain stops the others
    /// (`design.md` §3).
    public let damage: StoreError?

    package init(event: RecordedEvent, evidence: PackedEvidence?, damage: StoreError? = nil) {
        self.event = event
        self.evidence = evidence
        self.damage = damage
    }

    /// The evidence exactly as it was received, nil for a tombstone. Throws `fileCorrupt` when
    /// what is stored makes no sense.
    public func originalBytes() throws(StoreError) -> [UInt8]? {
        if let damage { throw damage }
        return try evidence?.originalBytes()
    }
}
