import AppStore
import Testing

@Suite("Amounts for people")
struct MoneyTests {
    @Test(
        "An amount has the decimal places of its currency, rounded half to even once",
        arguments: [
            ("JPY", 300_000, "300"), ("JPY", 499, "0"), ("JPY", 500, "0"), ("JPY", 501, "1"),
            ("JPY", 1_500, "2"), ("JPY", -500, "0"), ("JPY", -1_500, "-2"),
            ("USD", 0, "0.00"), ("USD", 1_990, "1.99"), ("USD", 10_000, "10.00"),
            ("USD", 5, "0.00"), ("USD", 15, "0.02"), ("USD", 9_994, "9.99"),
            ("USD", 999_995, "1000.00"), ("USD", -4, "0.00"), ("USD", -1_050, "-1.05"),
            ("KWD", 1_005, "1.005"), ("KWD", -1, "-0.001"), ("", 1_234, "1.23"),
            ("USD", .max, "9223372036854775.81"), ("USD", .min, "-9223372036854775.81"),
        ] as [(String, Int64, String)])
    func decimal(_ currency: String, _ milliunits: Int64, _ expected: String) {
        #expect(Money(milliunits: milliunits, currency: currency).decimal == expected)
    }

    @Test("Only currencies that differ from two places are listed")
    func digits() {
        #expect(Money.minorDigitCount("HUF") == 2)
        #expect(Money.minorDigitCount("KRW") == 0)
        #expect(Money.minorDigitCount("BHD") == 3)
    }
}
