extension Timestamp {
    static let millisecondsPerDay: Int64 = 86_400_000

    /// Midnight UTC of a day.
    package init(_ day: CivilDate) {
        self.init(milliseconds: day.daysSinceEpoch * Self.millisecondsPerDay)
    }

    /// Midnight UTC of `date` plus `millisecondOfDay`; saturates at the ends of the range.
    init(date: CivilDate, millisecondOfDay: Int64) {
        let days = date.daysSinceEpoch
        let (start, overflow) = days.multipliedReportingOverflow(by: Self.millisecondsPerDay)
        guard !overflow else {
            self.init(milliseconds: days > 0 ? .max : .min)
            return
        }
        self = Timestamp(milliseconds: start).advanced(byMilliseconds: millisecondOfDay)
    }

    /// The day in UTC.
    public var date: CivilDate {
        CivilDate(
            daysSinceEpoch: CivilDate.floorDivide(milliseconds, Self.millisecondsPerDay))
    }

    /// 0…86,399,999 in UTC.
    public var millisecondOfDay: Int64 {
        let remainder = milliseconds % Self.millisecondsPerDay
        return remainder < 0 ? remainder + Self.millisecondsPerDay : remainder
    }
}
