import AppStore
internal import SQLiteStore

extension MovementPlan {
    /// Which sums make the rows between instants; nil when they begin or end within a day, unless it
    /// is the present one: then what is to happen in the rest of it is left out.
    ///
    /// Sums by month serve wherever no instant parts a month; they also make what was active at
    /// the beginning.
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
            // No month has more than 31 days, and none less than 28.
            let next = days.day(day.month.advanced(byMilliseconds: MovementPlan.monthMilliseconds))
            cursor = min(next?.month ?? end, end)
            self.days.append(day.month..<cursor)
        }
        if cursor < end { months.append(cursor..<end) }
    }

    /// 32 days and an hour: from the beginning of any month on into the next one.
    private static let monthMilliseconds: Int64 = 32 * 86_400_000 + 3_600_000
}
