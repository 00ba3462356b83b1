public import AppStore

/// The validity period of a certificate or a whole chain, inclusive at both ends (RFC 5280
/// §4.1.2.5).
public struct ValidityWindow: Hashable, Sendable {
    /// First moment.
    public let from: Timestamp
    /// Last moment, inclusive.
    public let until: Timestamp

    /// A window, empty if `until` is before `from`.
    public init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }

    /// Whether `moment` is neither before nor after.
    public func contains(_ moment: Timestamp) -> Bool {
        from <= moment && moment <= until
    }

    /// The intersection; empty if they do not overlap.
    func intersection(_ other: ValidityWindow) -> ValidityWindow {
        ValidityWindow(from: max(from, other.from), until: min(until, other.until))
    }
}
