/// Parses the fixed-width parts of dates from left to right.
struct DigitReader {
    /// Most fractional digits of a second (nanoseconds).
    static let fractionDigits = 9

    private let text: [UInt8]
    private var index = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    var isAtEnd: Bool { index == text.count }

    private var digit: Int64? {
        guard index < text.count, text[index] &- UInt8(ascii: "0") <= 9 else { return nil }
        return Int64(text[index] - UInt8(ascii: "0"))
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Exactly `width` digits with a value in `range`.
    mutating func number(width: Int, in range: ClosedRange<Int64>) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit else { return nil }
            value = value * 10 + digit
            index += 1
        }
        return range.contains(value) ? value : nil
    }

    /// `YYYY-MM-DD`, an existing day.
    mutating func date() -> CivilDate? {
        guard let year = number(width: 4, in: 0...9999), take("-"),
            let month = number(width: 2, in: 1...12), take("-"),
            let day = number(width: 2, in: 1...CivilDate.daysInMonth(month, of: year))
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Milliseconds of an optional fraction of a second, truncated. Nil if a point is followed by
    /// no digit or too many.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var (value, count): (Int64, Int) = (0, 0)
        while let digit {
            guard count < Self.fractionDigits else { return nil }
            if count < 3 { value = value * 10 + digit }
            count += 1
            index += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// Offset from UTC in minutes: `Z`, `z` or `±HH:MM`.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = take("-") ? -1 : (take("+") ? 1 : 0)
        guard sign != 0, let hours = number(width: 2, in: 0...23), take(":"),
            let minutes = number(width: 2, in: 0...59)
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
