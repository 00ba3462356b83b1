public import AppStore

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
        self.find = find
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
    /// By the day of UTC: those that begin, or go on, in it.
    private var known: [Int64: [ReportDay]] = [:]
    private var last: ReportDay?

    init(_ days: ReportDays) { self.days = days }

    mutating func day(_ moment: Timestamp) -> ReportDay? {
        guard moment < ReportDays.end else { return nil }
        let moment = max(moment, ReportDays.beginning)
        if let last, last.start <= moment, moment < last.end { return last }
        let place = moment.milliseconds / ReportDays.dayMilliseconds
        if let day = known[place]?.first(where: { $0.start <= moment && moment < $0.end }) {
            last = day
            return day
        }
        guard let day = days.day(moment) else { return nil }
        known[place, default: []].append(day)
        last = day
        return day
    }
}
