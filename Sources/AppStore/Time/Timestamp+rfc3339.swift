extension Timestamp {
    /// 0000-01-01T00:00:00.000Z, the first moment RFC 3339 can represent.
    static let earliestWritable = Timestamp(milliseconds: -62_167_219_200_000)

    /// `2026-01-31T23:59:59.000Z`: UTC, always three fractional digits (RFC 3339 §5.6). A moment
    /// outside the years 0…9999, which the format cannot represent, is written as the nearest
    /// inside.
    public var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        appendRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    func appendRFC3339(to text: inout [UInt8]) {
        let moment = min(max(self, .earliestWritable), .latest)
        let date = moment.date
        let rest = moment.millisecondOfDay
        var digits: [24 of UInt8] = .init(repeating: 0)
        Self.put(date.year, &digits, at: 0, width: 4, then: "-")
        Self.put(date.month, &digits, at: 5, width: 2, then: "-")
        Self.put(date.day, &digits, at: 8, width: 2, then: "T")
        Self.put(rest / 3_600_000, &digits, at: 11, width: 2, then: ":")
        Self.put(rest / 60_000 % 60, &digits, at: 14, width: 2, then: ":")
        Self.put(rest / 1000 % 60, &digits, at: 17, width: 2, then: ".")
        Self.put(rest % 1000, &digits, at: 20, width: 3, then: "Z")
        digits.span.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    /// Writes `value` in exactly `width` digits, and the character that follows it.
    @inline(__always)
    private static func put(
        _ value: Int64, _ digits: inout [24 of UInt8], at start: Int, width: Int,
        then next: Unicode.Scalar
    ) {
        var rest = UInt32(truncatingIfNeeded: value)
        var place = start + width
        digits[place] = UInt8(ascii: next)
        while place > start {
            place -= 1
            digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Parses RFC 3339 §5.6: any offset, `T` and `Z` in either case, up to nine fractional digits
    /// (truncated to milliseconds). Nil for anything else, including nonexistent dates and leap
    /// seconds, which a count of milliseconds cannot represent.
    public init?(rfc3339 text: String) {
        var reader = DigitReader(text)
        guard let date = reader.date(), reader.take("T") || reader.take("t"),
            let hour = reader.number(width: 2, in: 0...23), reader.take(":"),
            let minute = reader.number(width: 2, in: 0...59), reader.take(":"),
            let second = reader.number(width: 2, in: 0...59),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let rest = (hour * 60 + minute - offset) * 60_000 + second * 1000 + fraction
        self.init(date: date, millisecondOfDay: rest)
    }

    /// Parses a person's input: RFC 3339, epoch milliseconds (digits without a leading zero, with
    /// an optional minus), or a day `YYYY-MM-DD`, which means midnight UTC. Nil outside the years 1
    /// to 9999, too (`isInRange`).
    public init?(userInput text: String) {
        var reader = DigitReader(text)
        let moment: Timestamp?
        if let date = reader.date(), reader.isAtEnd {
            moment = Timestamp(date: date, millisecondOfDay: 0)
        } else {
            moment =
                Int64(plain: text).map { Timestamp(milliseconds: $0) } ?? Timestamp(rfc3339: text)
        }
        guard let moment, moment.isInRange else { return nil }
        self = moment
    }
}
