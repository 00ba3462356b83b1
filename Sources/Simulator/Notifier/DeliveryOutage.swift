public import AppStore

/// A period in which every delivery fails.
public struct DeliveryOutage: Sendable, Hashable {
    /// Attempts started within it fail; both ends included.
    public let window: ClosedRange<Timestamp>
    /// The status of the failures; nil for no response.
    public let status: Int?

    /// An outage of that period.
    public init(_ window: ClosedRange<Timestamp>, status: Int? = nil) {
        self.window = window
        self.status = status
    }
}
