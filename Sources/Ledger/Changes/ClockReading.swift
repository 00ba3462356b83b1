import AppStore

/// A moment at which the feed told what only the clock had made true. Kept, so that whoever reads
/// the feed again finds it in the same place.
public struct ClockReading: Hashable, Sendable {
    /// The last position of the log by then.
    public var position: Int64
    public var at: Timestamp
    /// Which of the chains that this reading concerned.
    public var ordinal: Int64

    public init(position: Int64, at: Timestamp, ordinal: Int64) {
        self.position = position
        self.at = at
        self.ordinal = ordinal
    }
}
