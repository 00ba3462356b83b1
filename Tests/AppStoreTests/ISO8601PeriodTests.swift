import AppStore
import Testing

@Suite("Calendar periods")
struct ISO8601PeriodTests {
    @Test(
        "Added in UTC, the day clamped to the month",
        arguments: [
            ("P1D", "2026-02-28T10:00:00.000Z", "2026-03-01T10:00:00.000Z"),
            ("P1W", "2026-12-28T00:00:00.000Z", "2027-01-04T00:00:00.000Z"),
            ("P1M", "2026-01-31T23:59:59.000Z", "2026-02-28T23:59:59.000Z"),
            ("P1M", "2024-01-31T00:00:00.001Z", "2024-02-29T00:00:00.001Z"),
            ("P1M", "2026-02-28T00:00:00.000Z", "2026-03-28T00:00:00.000Z"),
            ("P2M", "2026-12-31T00:00:00.000Z", "2027-02-28T00:00:00.000Z"),
            ("P3M", "2026-11-30T00:00:00.000Z", "2027-02-28T00:00:00.000Z"),
            ("P6M", "2026-08-31T00:00:00.000Z", "2027-02-28T00:00:00.000Z"),
            ("P1Y", "2024-02-29T00:00:00.000Z", "2025-02-28T00:00:00.000Z"),
            ("P4Y", "2024-02-29T00:00:00.000Z", "2028-02-29T00:00:00.000Z"),
            ("P12M", "2099-12-31T00:00:00.000Z", "2100-12-31T00:00:00.000Z"),
            ("P30D", "2026-01-31T00:00:00.000Z", "2026-03-02T00:00:00.000Z"),
            ("PT2H", "2026-12-31T23:00:00.000Z", "2027-01-01T01:00:00.000Z"),
            ("P1M1DT1H1M1S", "2026-01-31T00:00:00.000Z", "2026-03-01T01:01:01.000Z"),
            ("P1M", "1969-12-31T00:00:00.000Z", "1970-01-31T00:00:00.000Z"),
            ("P1M", "0000-12-31T00:00:00.000Z", "0001-01-31T00:00:00.000Z"),
            ("P0D", "2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00.000Z"),
        ])
    func added(_ period: String, _ start: String, _ end: String) throws {
        let moment = try #require(Timestamp(rfc3339: start))
        let period = try #require(ISO8601Period(period))
        #expect(period.adding(to: moment).rfc3339 == end)
    }

    @Test(
        "Rejected",
        arguments: [
            "", "1M", "P", "PT", "P1MT", "P1", "PM", "P1H", "PT1D", "P1M1Y", "P1M1M", "P1D1W",
            "P-1M", "-P1M", "P1.5D", "p1m", "P1M ", "P1TT1H", "PT1HT1M", "P1X", "P1000000D",
            "P9999999999999999999D", "P1é",
        ])
    func refused(_ text: String) { #expect(ISO8601Period(text) == nil) }

    @Test("The longest number is accepted, and the limits of time do not overflow")
    func saturates() throws {
        let longest = String(repeating: "9", count: ISO8601Period.digits)
        let period = try #require(
            ISO8601Period("P\(longest)Y\(longest)M\(longest)DT\(longest)H"))
        #expect(period.adding(to: Timestamp(milliseconds: .max)).milliseconds == .max)
        #expect(period.adding(to: Timestamp(milliseconds: .min)) > Timestamp(milliseconds: .min))
    }

    @Test(
        "A period built in code ends at the limits of time from any start",
        arguments: [
            (ISO8601Period(months: .max), Int64.max), (ISO8601Period(days: .max), .max),
            (ISO8601Period(seconds: .max), .max), (ISO8601Period(months: .min), .min),
            (ISO8601Period(days: .min), .min), (ISO8601Period(seconds: .min), .min),
        ])
    func farthest(_ period: ISO8601Period, _ end: Int64) {
        for start in [Int64.min, -1, 0, .max] {
            #expect(period.adding(to: Timestamp(milliseconds: start)).milliseconds == end)
        }
    }

    @Test(
        "Described in the shortest notation",
        arguments: [
            ("P1M", "P1M"), ("P12M", "P1Y"), ("P14M", "P1Y2M"), ("P7D", "P1W"), ("P30D", "P30D"),
            ("PT2H", "PT2H"),
            ("PT90M", "PT1H30M"), ("P0D", "PT0S"), ("P1Y2M1W3DT4H5M6S", "P1Y2M10DT4H5M6S"),
        ])
    func described(_ text: String, _ shortest: String) throws {
        let period = try #require(ISO8601Period(text))
        #expect(period.description == shortest)
        #expect(ISO8601Period(shortest) == period)
    }
}
