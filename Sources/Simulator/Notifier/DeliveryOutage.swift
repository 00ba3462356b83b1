public import AppStore

/// A stretch in which the receiver takes nothing.
public struct DeliveryOutage: Sendable, Hashable {
    /// Attempts begun then fail; both ends included.
    public let window: ClosedRange<Timestamp>
    /// How they fail: with this status, or, nil, without any answer.
    public let status: Int?

    /// An outage of that time.
    public init(_ window: ClosedRange<Timestamp>, status: Int? = nil) {
        self.window = window
        self.status = status
    }
}
