import AppStore
import Ledger
import SQLiteStore
import Testing

@testable import Projection
@testable import Reports

@Suite("The sums of a report")
struct MovementPlanTests {
    private func at(_ text: String) throws -> Timestamp {
        try #require(Timestamp(userInput: text))
    }

    private func plan(
        _ instants: [String], now: String = "2026-06-15T15:00:00Z", zone: String = "UTC"
    ) throws -> MovementPlan? {
        let days = try #require(ReportZone(zone)).days
        return MovementPlan(
            try instants.map { try at($0) }, days: days, now: try at(now))
    }

    private let beginning = Timestamp(milliseconds: .min)

    @Test("Whole months need no days")
    func months() throws {
        let plan = try #require(try self.plan(["2026-01-01", "2026-02-01", "2026-06-01"]))
        #expect(plan.days.isEmpty && plan.pending == nil && plan.presentDay == nil)
        #expect(plan.months == [beginning..<(try at("2026-06-01"))])
    }

    @Test("A split month is read by day, up to the end")
    func parted() throws {
        let plan = try #require(try self.plan(["2026-01-10", "2026-02-01", "2026-03-20"]))
        let (january, february) = (try at("2026-01-01"), try at("2026-02-01"))
        let (march, end) = (try at("2026-03-01"), try at("2026-03-20"))
        #expect(plan.months == [beginning..<january, february..<march])
        #expect(plan.days == [january..<february, march..<end])
    }

    @Test("The present day is read without its pending movements")
    func running() throws {
        let plan = try #require(try self.plan(["2026-06-01", "2026-06-15T15:00:00Z"]))
        let (now, tomorrow) = (try at("2026-06-15T15:00:00Z"), try at("2026-06-16"))
        #expect(plan.pending == now..<tomorrow)
        #expect(plan.presentDay == (try at("2026-06-15")))
        #expect(plan.days == [(try at("2026-06-01"))..<tomorrow])
    }

    @Test(
        "Rows that begin or end within another day, before 2008 or after 2107 have no sums",
        arguments: [
            ["2026-01-01T00:00:00.001Z", "2026-02-01"], ["2026-01-01", "2026-01-05T12:00:00Z"],
            ["2026-06-15T10:00:00Z", "2026-06-15T15:00:00Z"], ["2007-12-31", "2026-01-01"],
            ["2026-01-01", "2108-01-01"],
        ])
    func none(_ instants: [String]) throws {
        #expect(try plan(instants) == nil)
        #expect(try plan([]) == nil)
        // Days of another zone begin at other times.
        #expect(try plan(["2026-01-01", "2026-02-01"], zone: "Europe/Berlin") == nil)
    }

    @Test(
        "Days of every zone are adjacent, and each moment lies in its own",
        arguments: [
            "UTC", "Europe/Berlin", "America/St_Johns", "America/Sao_Paulo", "Pacific/Apia",
            "America/Havana", "America/Goose_Bay", "Asia/Kathmandu", "Pacific/Kiritimati",
        ])
    func days(_ name: String) throws {
        let days = try #require(ReportZone(name)).days
        var moment = try at("2007-12-20")
        let end = try at("2019-01-01")
        var last: ReportDay?
        while moment < end {
            let day = try #require(days.day(moment))
            #expect(day.start <= moment && moment < day.end && day.month <= day.start)
            if let last, last != day {
                #expect(last.end == day.start && last.month <= day.month && last.date < day.date)
            }
            last = day
            moment = moment.advanced(byMilliseconds: 5 * 3_600_000 + 1_234)
        }
    }

    @Test("Days are named by their zone and its rules")
    func names() throws {
        let names = try [
            "UTC", "Europe/Berlin", "Europe/Paris", "America/New_York", "Asia/Kolkata",
        ].map { try #require(ReportZone($0)).days.name }
        #expect(names[0] == ReportDays.utc.name)
        #expect(Set(names).count == names.count)
        #expect(names[1] == (try #require(ReportZone("Europe/Berlin"))).days.name)
        // Berlin and Paris keep the same time; New York does not.
        func rules(_ name: String) -> Substring? { name.split(separator: "(").last }
        #expect(rules(names[1]) == rules(names[2]))
        #expect(rules(names[1]) != rules(names[3]))
    }

    @Test(
        "A change of a zone's rules counts on every day that has sums, and on no later one",
        arguments: [
            ("2037-06-01", true), ("2038-02-01", true), ("2107-12-01", true),
            ("2108-02-01", false),
        ])
    func changedRules(_ day: String, _ isFound: Bool) throws {
        let change = try at(day).milliseconds
        let digests = [3_600_000, 7_200_000].map { later in
            ReportZone.digest { $0 < change ? 3_600_000 : later }
        }
        #expect((digests[0] != digests[1]) == isFound)
    }
}
