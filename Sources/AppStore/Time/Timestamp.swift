/// A moment: signed milliseconds since the Unix epoch, the unit of every date Apple signs
/// (App Store Server API, type `timestamp`). Never a Double.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Adds a duration; saturates at the limits of the range instead of trapping, because hostile
    /// and corrupt payloads have dates near them.
    @inlinable
    public func advanced(byMilliseconds delta: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: delta > 0 ? .max : .min)
    }

    /// The first moment a payload may have: 1 January of year 1 as Xcode writes it, in the Julian
    /// calendar. RFC 3339's calendar places it two days before its own year 1.
    public static let earliest = Timestamp(milliseconds: -62_135_769_600_000)
    /// The last one: 9999-12-31T23:59:59.999Z, the limit of RFC 3339.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whether the moment lies in the years 1 to 9999. Others are rejected, because calendars and
    /// sums of durations are valid only in a limited range.
    public var isInRange: Bool { Timestamp.earliest <= self && self <= Timestamp.latest }

    /// The nearest moment in that range, for logs of earlier releases.
    public var clamped: Timestamp { min(max(self, .earliest), .latest) }

    /// Milliseconds since `earlier`; saturating.
    @inlinable
    public func milliseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return difference }
        return milliseconds > earlier.milliseconds ? .max : .min
    }
}
