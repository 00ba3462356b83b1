/// A day of the proleptic Gregorian calendar with integer arithmetic: no locale, no time zone
/// database, the same on every machine.
///
/// Days are counted in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day
/// is the last of its year and month lengths follow a formula.
public struct CivilDate: Hashable, Sendable {
    /// Astronomical: 0 is the year before 1.
    public var year: Int64
    /// 1…12
    public var month: Int64
    /// 1…31
    public var day: Int64

    /// The day must exist.
    public init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day `days` after 1970-01-01.
    public init(daysSinceEpoch days: Int64) {
        let shifted = days + Self.daysFromMarchOfYearZero
        let era = Self.floorDivide(shifted, Self.daysPerEra)
        let dayOfEra = shifted - era * Self.daysPerEra
        let leapDays = dayOfEra / 1460 - dayOfEra / 36524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - Self.daysBeforeYear(yearOfEra)
        // Counted from March, months begin on day (153 m + 2) / 5.
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01; negative before.
    public var daysSinceEpoch: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(marchYear, 400)
        let marchMonth = month <= 2 ? month + 9 : month - 3
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = Self.daysBeforeYear(marchYear - era * 400) + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysFromMarchOfYearZero
    }

    /// 28…31; `month` must be 1…12.
    public static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The Gregorian rule, for all years.
    public static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    package static func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static let daysPerEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysFromMarchOfYearZero: Int64 = 719_468

    private static func daysBeforeYear(_ yearOfEra: Int64) -> Int64 {
        365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100
    }
}
