import AppStore
import Intake
import Projection
import Reports
import Service
import Testing

@Suite("Days of a time zone")
struct ReportZoneTests {
    @Test(
        "Names outside the database are not zones",
        arguments: ["", " ", "Mars/Olympus", "Europe/Berlin ", "UTC+25", "../../etc/passwd"])
    func unknown(_ name: String) {
        #expect(ReportZone(name) == nil)
    }

    @Test(
        "Abbreviations and offsets are rejected, although the system accepts them",
        arguments: [
            "BST", "IST", "CST", "PST", "JST", "UTC+3", "GMT+0300", "GMT+3", "+03:00",
            "SystemV/EST5",
        ])
    func abbreviation(_ name: String) {
        #expect(ReportZone(name) == nil)
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(yaml: "reportTimeZone: '\(name)'")
        }
        #expect(error?.key == "reportTimeZone")
        #expect(error?.description.contains("Europe/Berlin") == true)
    }

    @Test(
        "Aliases in the database are accepted",
        arguments: [
            ("Cuba", "America/Havana"), ("Etc/UTC", "UTC"), ("US/Pacific", "America/Los_Angeles"),
            ("GB", "Europe/London"), ("Asia/Calcutta", "Asia/Kolkata"), ("Zulu", "UTC"),
            ("NZ-CHAT", "Pacific/Chatham"),
        ])
    func alias(_ name: String, _ other: String) throws {
        let (one, two) = (try #require(ReportZone(name)), try #require(ReportZone(other)))
        for day in [20_000, 20_180] as [Int64] {
            let date = CivilDate(daysSinceEpoch: day)
            #expect(one.start(of: date) == two.start(of: date))
        }
        #expect(try ServiceConfiguration(yaml: "reportTimeZone: \(name)").reportTimeZone == name)
    }

    /// First moments of local days by the IANA database, found by testing every minute.
    static let days: [(String, String, String)] = [
        ("UTC", "2026-03-01", "2026-03-01T00:00:00Z"),
        // 23 hours, then 25.
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"),
        ("Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"),
        ("Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00Z"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00Z"),
        ("America/New_York", "2026-03-09", "2026-03-09T04:00:00Z"),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00Z"),
        ("America/New_York", "2026-11-02", "2026-11-02T05:00:00Z"),
        // No midnight: the day begins at one.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2018-11-05", "2018-11-05T02:00:00Z"),
        ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"),
        // Midnight twice: the day begins with the first, or with the second if that is a day back.
        ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
        ("America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"),
        ("America/Goose_Bay", "2010-11-07", "2010-11-07T03:00:00Z"),
        ("America/Goose_Bay", "2010-11-08", "2010-11-08T04:00:00Z"),
        // A day that was skipped.
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z"),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
        // Offsets other than whole hours.
        ("Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00Z"),
        ("Australia/Lord_Howe", "2026-04-06", "2026-04-05T13:30:00Z"),
        ("Pacific/Kiritimati", "2026-07-01", "2026-06-30T10:00:00Z"),
    ]

    @Test(
        "A day begins at its first local moment, regardless of clock changes that night",
        arguments: days)
    func starts(_ name: String, _ day: String, _ start: String) throws {
        let zone = try #require(ReportZone(name))
        let date = try #require(Timestamp(userInput: day)).date
        #expect(zone.start(of: date).rfc3339 == Timestamp(userInput: start)?.rfc3339)
    }

    @Test(
        "Every day of a year follows the previous one, and its first moment lies in it",
        arguments: [
            "UTC", "Europe/Berlin", "America/New_York", "America/Havana", "Asia/Beirut",
            "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago",
        ])
    func wholeYear(_ name: String) throws {
        let zone = try #require(ReportZone(name))
        let first = CivilDate(year: 2025, month: 1, day: 1).daysSinceEpoch
        var last = zone.start(of: CivilDate(daysSinceEpoch: first - 1))
        for number in first..<first + 366 {
            let date = CivilDate(daysSinceEpoch: number)
            let start = zone.start(of: date)
            #expect(zone.day(of: start) == date)
            #expect(
                zone.day(of: start.advanced(byMilliseconds: -1))
                    == CivilDate(daysSinceEpoch: number - 1))
            #expect((22...26).contains(start.milliseconds(since: last) / 3_600_000))
            last = start
        }
    }

    @Test(
        "The hours of a day are labelled in local time, and each label names its moment",
        arguments: [
            ("Europe/Berlin", "2024-10-27", 25), ("Europe/London", "2026-03-29", 23),
            ("America/Havana", "2026-11-01", 25), ("Asia/Kathmandu", "2026-01-01", 24),
            ("UTC", "2026-01-01", 24),
        ] as [(String, String, Int64)])
    func labels(_ name: String, _ day: String, _ count: Int64) throws {
        let zone = try #require(ReportZone(name))
        let start = zone.start(of: try #require(Timestamp(userInput: day)).date)
        let hours = (0..<count).map { start.advanced(byMilliseconds: $0 * 3_600_000) }
        let labels = hours.map { zone.label($0) }
        #expect(labels.first == day)
        #expect(labels.allSatisfy { $0.hasPrefix(day) })
        let named = labels.dropFirst().compactMap { Timestamp(userInput: $0) }
        #expect(named == Array(hours.dropFirst()))
    }

    @Test(
        "A moment within a day has its local time and offset",
        arguments: [
            ("Europe/Berlin", "2024-10-27T00:00:00Z", "2024-10-27T02:00:00+02:00"),
            ("Europe/Berlin", "2024-10-27T01:00:00Z", "2024-10-27T02:00:00+01:00"),
            ("America/New_York", "2026-01-01T00:00:00.123Z", "2025-12-31T19:00:00.123-05:00"),
            ("Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00+05:45"),
            ("Europe/London", "2026-01-01T01:00:00Z", "2026-01-01T01:00:00+00:00"),
            ("UTC", "2026-01-01T01:00:00Z", "2026-01-01T01:00:00.000Z"),
            // Local mean time, 53 minutes and 28 seconds ahead; and a local year 10000.
            ("Europe/Berlin", "1880-01-01T12:00:00Z", "1880-01-01T12:00:00.000Z"),
            ("Europe/Berlin", "9999-12-31T23:30:00Z", "9999-12-31T23:30:00.000Z"),
        ])
    func label(_ name: String, _ moment: String, _ label: String) throws {
        let zone = try #require(ReportZone(name))
        #expect(zone.label(try #require(Timestamp(userInput: moment))) == label)
    }

    @Test(
        "Weeks begin on Monday, quarters in January, April, July and October",
        arguments: [
            (.day, "2026-02-28", "2026-02-28", "2026-03-01"),
            (.week, "2026-01-01", "2025-12-29", "2026-01-05"),
            (.week, "2026-01-05", "2026-01-05", "2026-01-12"),
            (.week, "2026-01-11", "2026-01-05", "2026-01-12"),
            (.week, "1969-12-31", "1969-12-29", "1970-01-05"),
            (.month, "2026-12-31", "2026-12-01", "2027-01-01"),
            (.month, "2024-02-29", "2024-02-01", "2024-03-01"),
            (.quarter, "2026-03-31", "2026-01-01", "2026-04-01"),
            (.quarter, "2026-11-01", "2026-10-01", "2027-01-01"),
        ] as [(ReportInterval, String, String, String)])
    func intervals(
        _ interval: ReportInterval, _ day: String, _ start: String, _ next: String
    ) throws {
        let date = { (text: String) in Timestamp(userInput: text)?.date }
        let begun = interval.start(of: try #require(date(day)))
        #expect(begun == date(start))
        #expect(interval.next(after: begun) == date(next))
    }
}
