/// A moment: signed milliseconds since the Unix epoch, the unit of every date Apple signs
/// (App Store Server API, type `timestamp`). Never a Double.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Since 1970-01-01T00:00:00Z; negative before.
    public var milliseconds: Int64

    /// A moment as Apple writes it.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Adds a duration; saturates at the ends of the range instead of trapping, because hostile
    /// and broken payloads carry dates near them.
    @inlinable
    public func advanced(byMilliseconds delta: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: delta > 0 ? .max : .min)
    }

    /// Milliseconds from `earlier` to here; saturating.
    @inlinable
    public func milliseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return difference }
        return milliseconds > earlier.milliseconds ? .max : .min
    }
}
