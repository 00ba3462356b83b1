import AppStore

/// A moment at which the feed emitted what the clock alone had made true. Stored, so that later
/// reads of the feed return it in the same place.
public struct ClockReading: Hashable, Sendable {
    /// The last position of the log at that time.
    public var position: Int64
    public var at: Timestamp
    /// Index of the chain within the reading.
    public var ordinal: Int64

    public init(position: Int64, at: Timestamp, ordinal: Int64) {
        self.position = position
        self.at = at
        self.ordinal = ordinal
    }
}
