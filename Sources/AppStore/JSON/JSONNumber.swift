/// Exact decimal parsing of a JSON number token: sign, significant digits, power of ten. Uses no
/// binary fractions, so a date such as `1697679936049.7297` rounds the same everywhere.
struct JSONNumber {
    var isNegative = false
    /// Significant digits as values 0…9, without leading or trailing zeros. Empty means zero.
    var digits: [UInt8] = []
    /// value = digits × 10^exponent
    var exponent = 0
    /// The written exponent does not fit an Int, so the value is out of any range.
    var isExponentHuge = false

    /// `token` must conform to the grammar of RFC 8259 §6.
    init(token: some Sequence<UInt8>) {
        var written = 0
        var isExponentNegative = false
        var fraction = false
        var inExponent = false
        for byte in token {
            switch byte {
            case UInt8(ascii: "-"):
                if inExponent { isExponentNegative = true } else { isNegative = true }
            case UInt8(ascii: "+"): continue
            case UInt8(ascii: "."): fraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
            default:
                let digit = byte &- UInt8(ascii: "0")
                if inExponent {
                    written = append(digit, toExponent: written)
                } else {
                    digits.append(digit)
                    if fraction { exponent -= 1 }
                }
            }
        }
        exponent += isExponentNegative ? -written : written
        normalise()
    }

    private mutating func append(_ digit: UInt8, toExponent written: Int) -> Int {
        // Beyond any usable exponent, and far from overflow.
        guard written < 1_000_000_000_000 else {
            isExponentHuge = true
            return written
        }
        return written * 10 + Int(digit)
    }

    private mutating func normalise() {
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        let leading = digits.prefix { $0 == 0 }.count
        digits.removeFirst(leading)
        if digits.isEmpty {
            self.exponent = 0
            isNegative = false
            isExponentHuge = false
        }
    }

    var isIntegral: Bool { exponent >= 0 }

    /// The nearest integer, ties away from zero; nil if outside Int64.
    var rounded: Int64? {
        let wholeDigits = digits.count + exponent
        if wholeDigits < 0 || digits.isEmpty { return 0 }
        // Int64.max has 19 digits, and any 19 digits fit UInt64.
        guard wholeDigits <= 19 else { return nil }
        var magnitude: UInt64 = 0
        for place in 0..<wholeDigits {
            magnitude = magnitude * 10 + (place < digits.count ? UInt64(digits[place]) : 0)
        }
        if wholeDigits < digits.count, digits[wholeDigits] >= 5 { magnitude += 1 }
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            return Int64(truncatingIfNeeded: 0 &- magnitude)
        }
        return Int64(exactly: magnitude)
    }

    /// A canonical spelling: equal for `1`, `1.0` and `1e0`. Integers of up to 21 digits are
    /// written in full, others as digits and exponent. Nil if the exponent is out of range.
    var canonical: [UInt8]? {
        guard !isExponentHuge else { return nil }
        guard !digits.isEmpty else { return [UInt8(ascii: "0")] }
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        text.append(contentsOf: digits.map { $0 + UInt8(ascii: "0") })
        if exponent >= 0, digits.count + exponent <= 21 {
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent))
        } else {
            text.append(UInt8(ascii: "e"))
            text.append(contentsOf: String(exponent).utf8)
        }
        return text
    }
}
