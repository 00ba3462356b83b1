/// A calendar period in ISO 8601 notation: `P1M`, `P30D`, `PT2H`, `P1Y2M3W4DT5H6M7S`.
///
/// The format of Apple's `offerPeriod` and of durations in catalogues. Months and days are calendar
/// units, separate from hours; a year is twelve months and a week seven days.
public struct ISO8601Period: Hashable, Sendable {
    /// Most digits of one number; bounds all arithmetic far below the limits of Int64.
    public static let digits = 6

    /// Calendar months, including years.
    public var months: Int64
    /// Calendar days, including weeks.
    public var days: Int64
    /// Seconds, including hours and minutes.
    public var seconds: Int64

    public init(months: Int64 = 0, days: Int64 = 0, seconds: Int64 = 0) {
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// Parses whole, unsigned numbers with designators in the standard's order, each at most once
    /// and at least one of them. Nil for anything else, such as fractions and lower case.
    public init?(_ text: String) {
        self.init()
        let bytes = Array(text.utf8)
        guard bytes.count > 1, bytes[0] == UInt8(ascii: "P"), bytes.last != UInt8(ascii: "T") else {
            return nil
        }
        var (index, inTime, lastRank) = (1, false, -1)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "T"), !inTime {
                inTime = true
                index += 1
                continue
            }
            let number = bytes[index...].prefix { $0 &- UInt8(ascii: "0") <= 9 }
            index = number.endIndex
            guard number.count <= ISO8601Period.digits, index < bytes.count,
                let value = Int64(String(decoding: number, as: UTF8.self)),
                let rank = add(value, designator: bytes[index], inTime: inTime), rank > lastRank
            else { return nil }
            lastRank = rank
            index += 1
        }
    }

    /// Adds a number under its designator and returns the designator's rank in the order, or nil
    /// for an invalid one.
    private mutating func add(_ value: Int64, designator: UInt8, inTime: Bool) -> Int? {
        let (rank, months, days, seconds): (Int, Int64, Int64, Int64)
        switch (designator, inTime) {
        case (UInt8(ascii: "Y"), false): (rank, months, days, seconds) = (0, 12, 0, 0)
        case (UInt8(ascii: "M"), false): (rank, months, days, seconds) = (1, 1, 0, 0)
        case (UInt8(ascii: "W"), false): (rank, months, days, seconds) = (2, 0, 7, 0)
        case (UInt8(ascii: "D"), false): (rank, months, days, seconds) = (3, 0, 1, 0)
        case (UInt8(ascii: "H"), true): (rank, months, days, seconds) = (4, 0, 0, 3600)
        case (UInt8(ascii: "M"), true): (rank, months, days, seconds) = (5, 0, 0, 60)
        case (UInt8(ascii: "S"), true): (rank, months, days, seconds) = (6, 0, 0, 1)
        default: return nil
        }
        self.months += value * months
        self.days += value * days
        self.seconds += value * seconds
        return rank
    }

    /// The end of the period that begins at `start`, in UTC: months first, with the day clamped to
    /// the length of the resulting month (31 January + P1M = 28 or 29 February; `Lifecycle.md` §5),
    /// then days, then hours. Saturates at the limits of the range.
    public func adding(to start: Timestamp) -> Timestamp {
        var date = start.date
        let months = min(max(months, -ISO8601Period.farthestMonths), ISO8601Period.farthestMonths)
        // Counted from January of year zero, so that months carry into years.
        let month = date.year * 12 + (date.month - 1) + months
        date.year = CivilDate.floorDivide(month, 12)
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, CivilDate.daysInMonth(date.month, of: date.year))
        let moved = Timestamp(date: date, millisecondOfDay: start.millisecondOfDay).milliseconds
        let end =
            Int128(moved) + Int128(days) * Int128(Timestamp.millisecondsPerDay)
            + Int128(seconds) * 1000
        return Timestamp(milliseconds: Int64(clamping: end))
    }

    /// A billion years, which lead out of the range of `Timestamp` from any start.
    private static let farthestMonths: Int64 = 12_000_000_000
}

/// The shortest notation: `P1Y` for twelve months, `P2W` for fourteen days, `PT0S` for an empty
/// period.
extension ISO8601Period: CustomStringConvertible {
    /// Parses back to an equal period, except with a negative number or one of more than `digits`
    /// digits.
    public var description: String {
        var text = "P"
        func append(_ value: Int64, _ designator: Character) {
            guard value != 0 else { return }
            text += "\(value)\(designator)"
        }
        append(months / 12, "Y")
        append(months % 12, "M")
        if days % 7 == 0 { append(days / 7, "W") } else { append(days, "D") }
        if seconds != 0 { text += "T" }
        append(seconds / 3600, "H")
        append(seconds / 60 % 60, "M")
        append(seconds % 60, "S")
        return text == "P" ? "PT0S" : text
    }
}

extension ISO8601Period: JSONWritable {
    public func write(to json: inout JSONWriter) { json.writeString(description) }
}
