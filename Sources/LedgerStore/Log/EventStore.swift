/// An append-only log with contiguous positions, independent of the engine below.
///
/// An implementation guarantees: positions 1…n in commit order, so that "position ≤ p" is always a
/// completed prefix; an answered append is durable; one identity with equal claims is stored once,
/// permanently. It may use only plain SQL and one head row per log: no sequences, no advisory
/// locks, no triggers for correctness (`Log.md` §8). Order is guaranteed within one log only.
public protocol EventStore: Sendable {
    /// Packs evidence for this log: knows which certificate headers it holds.
    var packer: EvidencePacker { get }

    /// Appends verified events in the order given and answers when they are durable; all or none.
    func append(_ batch: [NewEvent]) async throws(StoreError) -> [AppendResult]

    /// The position of the stored event that appending this one would repeat, determined from equal
    /// bytes or equal payloads; nil when there is none. Takes no lock, so it also works while the
    /// log cannot be written.
    func position(ofKnown event: NewEvent) async throws(StoreError) -> Int64?

    /// The current end of the log.
    func head() async throws(StoreError) -> LogHead

    /// The event at `position`, or nil when the log is shorter.
    func event(at position: Int64) async throws(StoreError) -> LoggedEvent?

    /// The rows after `position` up to and including `through`, in order, at most `limit` of them.
    func events(
        after position: Int64, through: Int64, limit: Int
    ) async throws(StoreError) -> [RecordedEvent]

    /// As `events`, with the evidence. May end early, at `LogLimits.pageByteCount`, but holds at
    /// least one event unless there is none.
    func page(
        after position: Int64, through: Int64, limit: Int
    ) async throws(StoreError) -> [LoggedEvent]
}
