import AppStore
internal import SQLiteStore

extension MovementPlan {
    /// The sums that make the rows between instants. Nil when rows begin or end within a day,
    /// except at now in the present day, whose pending movements are then subtracted.
    ///
    /// Monthly sums are used wherever no instant splits a month; they also give the count active
    /// at the beginning.
    ///
    /// - Parameter now: no earlier than the newest fact.
    init?(_ instants: [Timestamp], days: ReportDays, now: Timestamp) {
        guard let first = instants.first, let last = instants.last,
            first.milliseconds >= MetricsLimits.earliestMilliseconds,
            let lastDay = days.day(last)
        else { return nil }
        let isRunning = lastDay.start != last
        guard !isRunning || last == now else { return nil }
        var parted: [ReportDay] = []
        for instant in instants {
            guard let day = days.day(instant) else { return nil }
            guard instant == last || day.start == instant else { return nil }
            if day.month != instant, parted.last?.month != day.month { parted.append(day) }
        }
        let end = isRunning ? lastDay.end : last
        self.init(
            pending: isRunning ? last..<lastDay.end : nil,
            presentDay: isRunning ? lastDay.start : nil)
        var cursor = Timestamp(milliseconds: .min)
        for day in parted {
            months.append(cursor..<day.month)
            // Months have 28 to 31 days.
            let next = days.day(day.month.advanced(byMilliseconds: MovementPlan.monthMilliseconds))
            cursor = min(next?.month ?? end, end)
            self.days.append(day.month..<cursor)
        }
        if cursor < end { months.append(cursor..<end) }
    }

    /// 32 days and an hour: from the beginning of any month into the next one.
    private static let monthMilliseconds: Int64 = 32 * 86_400_000 + 3_600_000
}
