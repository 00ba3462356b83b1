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

/// A cache of days: looking up a zone's rules is slow.
struct DayCache: Sendable {
    private let days: ReportDays
    private var known: [ReportDay] = []
    private var spans: [Span] = []
    /// By UTC day, the first of the `spans` that overlap it.
    private var first: [Int64: Int32] = [:]

    /// A known day within one UTC day.
    private struct Span: Sendable {
        let start: Int64
        let end: Int64
        let day: Int32
        /// The next span in the same UTC day.
        let next: Int32?
    }

    init(_ days: ReportDays) { self.days = days }

    mutating func day(_ moment: Timestamp) -> ReportDay? {
        place(of: moment).map { known[Int(spans[$0].day)] }
    }

    /// The first moment of the day.
    mutating func start(of moment: Timestamp) -> Int64? {
        place(of: moment).map { spans[$0].start }
    }

    private mutating func place(of moment: Timestamp) -> Int? {
        guard moment < ReportDays.end else { return nil }
        let moment = max(moment, ReportDays.beginning).milliseconds
        let utc = moment / ReportDays.dayMilliseconds
        let begun = first[utc]
        var place = begun
        while let index = place.map({ Int($0) }) {
            if spans[index].start <= moment, moment < spans[index].end { return index }
            place = spans[index].next
        }
        guard let day = days.day(Timestamp(milliseconds: moment)) else { return nil }
        spans.append(
            Span(
                start: day.start.milliseconds, end: day.end.milliseconds, day: Int32(known.count),
                next: begun))
        known.append(day)
        first[utc] = Int32(spans.count - 1)
        return spans.count - 1
    }
}

/// A process-wide cache of days, at most as many as exist.
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
