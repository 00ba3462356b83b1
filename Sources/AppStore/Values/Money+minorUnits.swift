extension Money {
    /// The amount for people, in units: with the decimal places of the currency's minor unit
    /// (ISO 4217), rounded half to even. Never an input of further arithmetic.
    public var decimal: String { Money.decimal(milliunits, Money.minorDigitCount(currency)) }

    /// Decimal places of a currency's minor unit (ISO 4217): at most three, as milliunits have.
    public static func minorDigitCount(_ currency: String) -> Int {
        if currenciesWithoutMinorUnit.contains(currency) { return 0 }
        return currenciesOfThousandths.contains(currency) ? 3 : 2
    }

    private static func decimal(_ milliunits: Int64, _ digitCount: Int) -> String {
        let step: UInt64 = [1_000, 100, 10, 1][digitCount]
        let (whole, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: step)
        let isUp = rest * 2 > step || rest * 2 == step && whole % 2 == 1
        let count = isUp ? whole + 1 : whole
        let sign = milliunits < 0 && count > 0 ? "-" : ""
        let (units, fraction) = count.quotientAndRemainder(dividingBy: 1_000 / step)
        guard digitCount > 0 else { return "\(sign)\(units)" }
        let digits = String(fraction)
        let zeros = String(repeating: "0", count: digitCount - digits.utf8.count)
        return "\(sign)\(units).\(zeros)\(digits)"
    }

    private static let currenciesWithoutMinorUnit: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
        "VUV", "XAF", "XOF", "XPF",
    ]

    private static let currenciesOfThousandths: Set<String> = [
        "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND",
    ]
}
