public import AppStore

/// The time in which a certificate, or a whole chain, may have signed: both ends belong to it
/// (RFC 5280 §4.1.2.5).
public struct ValidityWindow: Hashable, Sendable {
    /// First moment.
    public let from: Timestamp
    /// Last moment, included.
    public let until: Timestamp

    /// A window; empty when `until` is before `from`.
    public init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }

    init(from: Int64, until: Int64) {
        self.init(from: Timestamp(milliseconds: from), until: Timestamp(milliseconds: until))
    }

    /// Whether `moment` is neither before nor after.
    public func contains(_ moment: Timestamp) -> Bool {
        from <= moment && moment <= until
    }

    /// The time both windows share; contains nothing when they share none.
    func intersection(_ other: ValidityWindow) -> ValidityWindow {
        ValidityWindow(from: max(from, other.from), until: min(until, other.until))
    }
}
