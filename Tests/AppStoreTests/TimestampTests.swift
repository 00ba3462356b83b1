import AppStore
import Foundation
import TestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "Written as UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_769_903_999_000, "2026-01-31T23:59:59.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            // Xcode's originalPurchaseDate: 1 January of year 1 in the Julian calendar.
            (-62_135_769_600_000, "0000-12-30T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
            (Int64.max, "9999-12-31T23:59:59.999Z"),
            (Int64.min, "0000-01-01T00:00:00.000Z"),
            (1_697_679_936_050, "2023-10-19T01:45:36.050Z"),
        ] as [(Int64, String)])
    func written(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    }

    @Test(
        "Read with offsets, fractions and either case",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:00z", 0),
            ("1970-01-01T02:00:00+02:00", 0),
            ("1969-12-31T18:30:00-05:30", 0), ("1970-01-01T00:00:00.1Z", 100),
            ("1970-01-01T00:00:00.999999999Z", 999),
            ("1969-12-31T23:59:59.0019Z", -999), ("2024-02-29T12:00:00.05Z", 1_709_208_000_050),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("0000-01-01T00:00:00-00:00", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999-23:59", 253_402_387_139_999),
            ("1970-01-01T00:00:00.123456789+00:00", 123),
        ] as [(String, Int64)])
    func read(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
        let isInRange = Timestamp(milliseconds: milliseconds).isInRange
        #expect(Timestamp(userInput: text)?.milliseconds == (isInRange ? milliseconds : nil))
    }

    @Test(
        "Rejected: impossible dates and other text",
        arguments: [
            "", "2026", "2026-01-31", "2026-01-31T23:59:59", "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2016-12-31T23:59:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00+0000", "2026-01-01T00:00:00+00", "2026-01-01 00:00:00Z",
            "2026-1-01T00:00:00Z",
            "2026-01-01T0:00:00Z", "2026-01-01T00:00Z", "2026-01-01T00:00:00ZZ",
            " 2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00,5Z", "-2026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
            "12026-01-01T00:00:00Z",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "A person may type milliseconds, a day or a moment",
        arguments: [
            ("0", 0), ("-1", -1), ("1697679936050", 1_697_679_936_050),
            ("2026-01-31", 1_769_817_600_000),
            ("253402300799999", 253_402_300_799_999), ("253402300800000", nil),
            ("-62135769600000", -62_135_769_600_000), ("-62135769600001", nil),
            ("9999-12-31", 253_402_214_400_000), ("0001-01-01", -62_135_596_800_000),
            ("0000-12-29", nil), ("0000-01-01T00:00:00Z", nil),
            ("9999-12-31T23:59:59.999-23:59", nil),
            ("9223372036854775807", nil), ("9223372036854775808", nil), ("", nil), ("-", nil),
            ("1.5", nil), ("+5", nil), ("yesterday", nil), ("2026-02-30", nil),
            ("2026-01-31T00:00", nil),
            ("1e3", nil), (" 5", nil), ("--5", nil), ("05", nil), ("-05", nil), ("-0", nil),
            ("00", nil),
            ("-9223372036854775808", nil), ("-9223372036854775809", nil),
        ] as [(String, Int64?)])
    func typed(_ text: String, _ milliseconds: Int64?) {
        #expect(Timestamp(userInput: text)?.milliseconds == milliseconds)
    }

    @Test("Days of nine centuries agree with Foundation's calendar")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var disagreements = 0
        for days in stride(from: -140_000 as Int64, through: 190_000, by: 47) {
            let date = CivilDate(daysSinceEpoch: days)
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            let same =
                parts.year == Int(date.year) && parts.month == Int(date.month)
                && parts.day == Int(date.day) && date.daysSinceEpoch == days
            if !same { disagreements += 1 }
        }
        #expect(disagreements == 0)
    }

    @Test("Writing and reading are inverse over the writable range")
    func inverse() {
        var random = SeededNumbers(seed: 20_261_120)
        for _ in 0..<5000 {
            let moment = Timestamp(
                milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            )
            #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
        }
    }

    @Test("Days convert both ways at the limits")
    func farEnds() {
        for days in [Int64.min / 86_400_000, -719_469, -719_468, -1, 0, 1, Int64.max / 86_400_000] {
            #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
        }
        #expect(Timestamp(milliseconds: -1).millisecondOfDay == 86_399_999)
        #expect(Timestamp(milliseconds: .min).millisecondOfDay >= 0)
    }
}
