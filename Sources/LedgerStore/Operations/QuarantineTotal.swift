/// Totals of the quarantined items of one standing.
public struct QuarantineTotal: Hashable, Sendable {
    public let standing: QuarantineStanding
    public let itemCount: Int64
    /// Bytes kept, which may be fewer than were received.
    public let byteCount: Int64
}
