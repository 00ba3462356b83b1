public import AppStore

/// The length of a report's rows. Raw values are the contract's.
public enum ReportInterval: String, Sendable, CaseIterable {
    /// Counted from local midnight.
    case hour
    case day
    /// Begins on Monday.
    case week
    case month
    /// Begins in January, April, July or October.
    case quarter

    static let hourMilliseconds: Int64 = 3_600_000

    /// The first day of the interval that contains a day; for hours, the day itself.
    public func start(of day: CivilDate) -> CivilDate {
        switch self {
        case .hour, .day: day
        case .week:
            // 1970-01-01 was a Thursday.
            CivilDate(
                daysSinceEpoch: day.daysSinceEpoch - ((day.daysSinceEpoch + 3) % 7 + 7) % 7)
        case .month: CivilDate(year: day.year, month: day.month, day: 1)
        case .quarter: CivilDate(year: day.year, month: (day.month - 1) / 3 * 3 + 1, day: 1)
        }
    }

    /// The first day of the interval after the one that begins on `day`.
    public func next(after day: CivilDate) -> CivilDate {
        switch self {
        case .hour, .day: return CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)
        case .week: return CivilDate(daysSinceEpoch: day.daysSinceEpoch + 7)
        case .month, .quarter:
            let months = day.month - 1 + (self == .month ? 1 : 3)
            return CivilDate(
                year: day.year + months / 12, month: months % 12 + 1, day: 1)
        }
    }
}
