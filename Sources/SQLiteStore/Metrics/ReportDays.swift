public import AppStore
internal import Synchronization

/// One calendar day of the report zone: `[start, end)`, and the start of its month.
public struct ReportDay: Hashable, Sendable {
    public let start: Timestamp
    public let end: Timestamp
    public let month: Timestamp
    /// The local date, `YYYY-MM-DD`.
    public let date: String

    public init(start: Timestamp, end: Timestamp, month: Timestamp, date: String) {
        self.start = start
        self.end = end
        self.month = month
        self.date = date
    }
}

/// The days of the stored sums: those of the configured report zone, computed by a caller that
/// knows the zone's rules.
public struct ReportDays: Sendable {
    /// Identifies the zone and its rules: a file with sums by other days is not used.
    public let name: String
    private let find: @Sendable (Timestamp) -> ReportDay

    /// - Parameters:
    ///   - name: must differ whenever any day does.
    ///   - find: returns the day that contains a moment; days are adjacent.
    public init(name: String, _ find: @escaping @Sendable (Timestamp) -> ReportDay) {
        self.name = name
        let known = KnownDays()
        self.find = { moment in known.day(moment, find) }
    }

    /// The end of the days that have sums: 2108-01-01 UTC. Later movements are in no sum.
    public static let end = Timestamp(milliseconds: 4_354_819_200_000)
    /// Earlier movements are stored under this day, which is before any day that can be queried:
    /// 2007-12-15 UTC.
    public static let beginning = Timestamp(milliseconds: 1_197_676_800_000)

    /// The day of a moment, or the first day for an earlier moment; nil from the end on.
    public func day(_ moment: Timestamp) -> ReportDay? {
        guard moment < ReportDays.end else { return nil }
        return find(max(moment, ReportDays.beginning))
    }

    /// The days of UTC.
    public static let utc = ReportDays(name: "UTC") { moment in
        let date = moment.date
        let month = CivilDate(year: date.year, month: date.month, day: 1)
        let start = Timestamp(milliseconds: date.daysSinceEpoch * ReportDays.dayMilliseconds)
        return ReportDay(
            start: start, end: start.advanced(byMilliseconds: ReportDays.dayMilliseconds),
            month: Timestamp(milliseconds: month.daysSinceEpoch * ReportDays.dayMilliseconds),
            date: String(start.rfc3339.prefix(10)))
    }

    static let dayMilliseconds: Int64 = 86_400_000
}

/// A cache of days, at most as many as exist: looking up a zone's rules is slow.
private final class KnownDays: Sendable {
    private let days = Mutex<[Int64: [ReportDay]]>([:])

    func day(_ moment: Timestamp, _ find: (Timestamp) -> ReportDay) -> ReportDay {
        let place = moment.milliseconds / ReportDays.dayMilliseconds
        let known = days.withLock { days in
            days[place]?.first { $0.start <= moment && moment < $0.end }
        }
        if let known { return known }
        let day = find(moment)
        days.withLock { days in
            guard days[place]?.contains(day) != true else { return }
            days[place, default: []].append(day)
        }
        return day
    }
}
