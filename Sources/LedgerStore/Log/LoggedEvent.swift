/// A row of the log together with its evidence.
public struct LoggedEvent: Sendable {
    public let event: RecordedEvent
    /// Nil when the bytes were erased: the row is a tombstone, its hashes remain.
    public let evidence: PackedEvidence?
}
