public import AppStore
internal import Synchronization

/// One calendar day of the report zone: `[start, end)`, and when its month begins.
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

/// The days that stored sums are kept by: those of the configured report zone, made by whoever knows
/// the zones' rules.
public struct ReportDays: Sendable {
    /// What the days follow, and under which rules: a file with sums by other days is not used.
    public let name: String
    private let find: @Sendable (Timestamp) -> ReportDay

    /// - Parameters:
    ///   - name: differs whenever any day does.
    ///   - find: the day that a moment lies in; days are adjacent.
    public init(name: String, _ find: @escaping @Sendable (Timestamp) -> ReportDay) {
        self.name = name
        let known = KnownDays()
        self.find = { moment in known.day(moment, find) }
    }

    /// Where the days end for which sums are kept: 2108-01-01 UTC. What is to happen later is in no
    /// sum.
    public static let end = Timestamp(milliseconds: 4_354_819_200_000)
    /// What happened earlier is kept under this day, which is before any that can be asked for:
    /// 2007-12-15 UTC.
    public static let beginning = Timestamp(milliseconds: 1_197_676_800_000)

    /// The day of a moment, or of the beginning for what is earlier; nil from the end on.
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

/// Days that were looked up before: a zone's rules are slow to ask.
struct DayCache: Sendable {
    private let days: ReportDays
    private var known: [ReportDay] = []
    private var spans: [Span] = []
    /// The first of `spans` by the day of UTC: of those that begin, or go on, in it.
    private var first: [Int64: Int32] = [:]

    /// Where a known day is in one day of UTC.
    private struct Span: Sendable {
        let start: Int64
        let end: Int64
        let day: Int32
        /// The next one in the same day of UTC.
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

/// Days that anybody looked up in this process, at most as many as there are.
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
