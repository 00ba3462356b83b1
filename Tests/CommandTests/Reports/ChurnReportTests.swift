import AppStore
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import TestSupport
import Testing

@testable import subledger

@Suite("Churn reports")
struct ChurnReportTests {
    /// Bought on 2026-01-10, renewed on 02-09, ended on 03-11.
    private let chain = MadeChain(id: "600000000000001")
    /// Bought ten days later, another product and country; no later events.
    private static let silentChain: MadeChain = {
        var chain = MadeChain(id: "600000000000002", product: "com.example.other")
        chain.start = chain.start.advanced(byMilliseconds: 10 * 86_400_000)
        chain.storefront = "DEU"
        return chain
    }()

    private let silent = ChurnReportTests.silentChain

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(
            MadeChain(id: "600000000000001").life + [silentChain.bought()])
        // 2026-06-15, within all requested ranges.
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private static func words(
        _ from: String? = "2026-01-01", _ to: String? = "2026-05-01", _ interval: String? = nil,
        by: [String] = [], where filters: [String] = [], zone: String? = nil
    ) -> MetricParameters {
        var words = MetricParameters()
        (words.from, words.to, words.interval) = (from, to, interval)
        (words.by, words.filters, words.timeZone) = (by, filters, zone)
        return words
    }

    private static func report(
        _ ledger: TemporaryLedger, _ words: MetricParameters, isPaid: Bool = false,
        knowledge: AsOf = .everything, bundleId: String? = nil
    ) async throws -> Report {
        try await ledger.metrics(knowledge: knowledge, bundleId: bundleId) {
            try await $0.churn(words, isPaid: isPaid)
        }
    }

    private static func json(_ report: Report) throws -> JSONValue {
        try TemporaryLedger.json { report.write(to: &$0) }
    }

    // MARK: Bad input

    static let wrong: [(MetricParameters, String)] = [
        (words(nil), "invalidTime"), (words("soon"), "invalidTime"),
        (words("2026-02-30"), "invalidTime"), (words("2026-01-01", "later"), "invalidTime"),
        (words("2026-01-01", "2026-01-01"), "invalidRange"),
        (words("2026-02-01", "2026-01-01"), "invalidRange"),
        (words("2007-12-31"), "invalidRange"), (words("0001-01-01"), "invalidRange"),
        (words("2026-06-16", "2027-01-01"), "invalidRange"),
        (words("9999-12-31", nil), "invalidRange"),
        (words("9223372036854775807", nil), "invalidTime"),
        (words("-9223372036854775808", nil), "invalidTime"),
        (words("2008-01-01", nil, "day"), "tooManyIntervals"),
        (interval("year"), "unknownInterval"), (interval(""), "unknownInterval"),
        (words(by: ["colour"]), "unknownDimension"), (words(by: [""]), "unknownDimension"),
        (words(by: ["product", "product"]), "duplicateDimension"),
        (words(where: ["product"]), "invalidFilter"), (words(where: [""]), "invalidFilter"),
        (words(where: ["colour=red"]), "unknownDimension"),
        (words(zone: "Mars/Olympus"), "unknownTimeZone"), (words(zone: ""), "unknownTimeZone"),
    ]

    private static func interval(_ name: String) -> MetricParameters {
        words("2026-01-01", "2026-05-01", name)
    }

    @Test("Every invalid query has its own error")
    func badInput() async throws {
        try await taken().metrics { query in
            for (words, code) in Self.wrong {
                let error = await #expect(throws: MetricsError.self, "\(words)") {
                    try await query.churn(words)
                }
                #expect(error?.code == code, "\(words)")
                #expect(error?.message.isEmpty == false)
            }
        }
    }

    @Test("Four thousand intervals are reported, one more is rejected")
    func intervalBound() async throws {
        let ledger = try await taken()
        let end = CivilDate(year: 2026, month: 5, day: 1).daysSinceEpoch
        func day(_ count: Int) -> String {
            let date = CivilDate(daysSinceEpoch: end - Int64(count))
            return "\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-"
                + "\(date.day < 10 ? "0" : "")\(date.day)"
        }
        let bound = MetricsLimits.intervalCount
        let rows = try await Self.report(ledger, Self.words(day(bound), "2026-05-01", "day")).rows
        #expect(rows.count == bound)
        await #expect(throws: MetricsError.tooManyIntervals(limit: MetricsLimits.intervalCount)) {
            try await Self.report(ledger, Self.words(day(bound + 1), "2026-05-01", "day"))
        }
    }

    @Test("A hundred thousand rows are reported, one more is rejected")
    func rowBound() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_783_000_000_000)
        /// Of a product of its own.
        func bought(_ number: Int, hours: Int64) -> MadeDelivery {
            let chain = MadeChain(id: "\(600_000_000_000_000 + number)", product: "p\(number)")
            return chain.bought().withTransaction {
                $0.expiresDate = chain.start.advanced(byMilliseconds: hours * 3_600_000)
            }
        }
        // From half a day after the purchases on, as many hours as there may be intervals.
        let words = Self.words("2026-01-11", "2026-06-26T16:00:00.000Z", "hour", by: ["product"])
        let count = MetricsLimits.rowCount / MetricsLimits.intervalCount
        _ = try await ledger.ingest((0..<count).map { bought($0, hours: 365 * 24) })
        let rows = try await ledger.metrics { try await $0.metric(.arr, words).rows }
        #expect(rows.count == MetricsLimits.rowCount)
        // Active in the first hour.
        _ = try await ledger.ingest([bought(count, hours: 13)])
        let full = ledger
        for name in [MetricName.arr, .counted(.active), .churn(isPaid: false)] {
            await #expect(throws: MetricsError.tooManyRows, "\(name)") {
                try await full.metrics { try await $0.metric(name, words) }
            }
        }
    }

    @Test("An empty ledger reports zeros, with a remark that they are meaningless")
    func empty() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let report = try await Self.report(ledger, Self.words())
        #expect(report.rows.count == 4)
        #expect(report.rows.map { $0.isEmpty } == [true, true, true, true])
        #expect(report.stamp.remarks == [.emptyLedger])
        #expect(report.text().contains("note: No subscr"))
        let known = try await Self.report(
            try await taken(), Self.words(), knowledge: .knownPosition(0))
        #expect(known.stamp.remarks == [.emptyLedger])
        let other = try await Self.report(
            try await taken(), Self.words(), bundleId: "com.example.none")
        #expect(other.stamp.remarks == [.emptyLedger])
    }

    @Test("A sandbox ledger has a remark that it is one")
    func sandbox() async throws {
        var ledger = try TemporaryLedger(environment: .sandbox)
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        var chain = chain
        chain.environment = .sandbox
        _ = try await ledger.ingest(chain.life)
        let report = try await Self.report(ledger, Self.words())
        #expect(report.stamp.remarks == [.notProduction])
        #expect(try Self.json(report)["environment"]?.string == "Sandbox")
    }

    // MARK: Answers

    @Test("Rows by month, with gains and reasons of losses")
    func months() async throws {
        let report = try await Self.report(try await taken(), Self.words())
        #expect(report.rows.map { $0.activeStart } == [0, 2, 1, 0])
        #expect(report.rows.map { $0[.gained(.new)] } == [2, 0, 0, 0])
        // The silent chain's period ended on 2026-02-19 without a stated reason.
        #expect(report.rows.map { $0[.churned(.unconfirmed)] } == [0, 1, 0, 0])
        #expect(report.rows.map { $0[.churned(.voluntary)] } == [0, 0, 1, 0])
        #expect(report.rows.allSatisfy { $0["residue"] == 0 })
    }

    @Test("The report has every key of the contract, and its figures")
    func contractKeys() async throws {
        let report = try await Self.report(
            try await taken(), Self.words(by: ["product", "country"]))
        let json = try Self.json(report)
        #expect(
            Set(json.keys).isSuperset(of: [
                "definition", "timeZone", "interval", "position", "at", "knownAt",
                "completeThrough", "reducerVersion", "catalogueHash", "rows",
            ]))
        #expect(json["definition"]?.string == "churn/1")
        #expect(json["position"]?.int64 == 5)
        let row = try #require(json["rows"]?.array?.first)
        #expect(
            row.keys == [
                "from", "to", "group", "activeStart", "new", "appeared", "reactivated", "recovered",
                "reinstated", "movedIn", "movedOut", "churned", "activeEnd", "residue", "churnRate",
            ])
        #expect(row["from"]?.string == "2026-01-01T00:00:00.000Z")
        #expect(row["to"]?.string == "2026-02-01T00:00:00.000Z")
        #expect(row["group"]?.keys == ["product", "country"])
        #expect(row["churnRate"]?.isNull == true)
        let march = try #require(
            json["rows"]?.array?.first { $0["from"]?.string == "2026-03-01T00:00:00.000Z" })
        #expect(march["churnRate"]?.encoded() == Array("1.0".utf8))
        #expect(march["churned"]?["total"]?.int64 == 1)
        let whole = try Self.json(try await Self.report(try await taken(), Self.words()))
        #expect(whole["rows"]?.array?.first?["group"]?.isNull == true)
    }

    @Test("The paid variant is named, and has columns of its own")
    func paid() async throws {
        let json = try Self.json(
            try await Self.report(try await taken(), Self.words(), isPaid: true))
        #expect(json["definition"]?.string == "churn.paid/1")
        #expect(json["rows"]?.array?.first?["converted"]?.int64 == 0)
        #expect(json["rows"]?.array?.first?["toFree"]?.int64 == 0)
    }

    @Test("A filter excludes the others; a given app excludes the other apps")
    func filters() async throws {
        let ledger = try await taken()
        let german = try await Self.report(ledger, Self.words(where: ["country=DEU"]))
        #expect(german.rows.map { $0[.gained(.new)] } == [1, 0, 0, 0])
        let both = try await Self.report(
            ledger, Self.words(where: ["country=DEU", "country=USA", "phase=standard"]))
        #expect(both.rows.map { $0[.gained(.new)] } == [2, 0, 0, 0])
        let none = try await Self.report(ledger, Self.words(where: ["offer=winter"]))
        #expect(none.rows.allSatisfy { $0.isEmpty })
        let without = try await Self.report(ledger, Self.words(where: ["offer="]))
        #expect(without.rows.map { $0[.gained(.new)] } == [2, 0, 0, 0])
    }

    // MARK: Time

    @Test("Days begin at local midnight: one of 23 hours, one of 25")
    func daylightSaving() async throws {
        var ledger = try await taken()
        ledger.now = TemporaryLedger.end
        for (from, to, hours) in [
            ("2026-03-28", "2026-03-31", [24, 23, 24]), ("2026-10-24", "2026-10-27", [24, 25, 24]),
        ] as [(String, String, [Int64])] {
            let rows = try await Self.report(
                ledger, Self.words(from, to, "day", zone: "Europe/Berlin")
            ).rows
            #expect(rows.map { $0.to.milliseconds(since: $0.from) / 3_600_000 } == hours)
        }
    }

    @Test("Hours are counted from local midnight: 23 of them, 25, or a last one of half an hour")
    func hours() async throws {
        var ledger = try await taken()
        ledger.now = TemporaryLedger.end
        for (zone, from, to, count, last) in [
            ("Europe/Berlin", "2026-03-29", "2026-03-30", 23, 60),
            ("Europe/Berlin", "2026-10-25", "2026-10-26", 25, 60),
            ("Australia/Lord_Howe", "2026-04-05", "2026-04-06", 25, 30),
        ] as [(String, String, String, Int, Int64)] {
            let rows = try await Self.report(
                ledger, Self.words(from, to, "hour", zone: zone)
            ).rows
            #expect(rows.count == count)
            let length = rows.last.map { $0.to.milliseconds(since: $0.from) / 60_000 }
            #expect(length == last)
        }
    }

    @Test("The configured report zone is the default")
    func reportZone() async throws {
        var ledger = try await taken()
        ledger.configuration.reportTimeZone = "Asia/Tokyo"
        let report = try await Self.report(ledger, Self.words("2026-01-01", "2026-01-02", "day"))
        #expect(report.stamp.timeZone == "Asia/Tokyo")
        #expect(report.rows.map { $0.from.rfc3339 } == ["2025-12-31T15:00:00.000Z"])
        let other = try await Self.report(
            ledger, Self.words("2026-01-01", "2026-01-02", "day", zone: "UTC"))
        #expect(other.rows.map { $0.from.rfc3339 } == ["2026-01-01T00:00:00.000Z"])
    }

    @Test("A range that begins or ends inside intervals has shorter rows")
    func partial() async throws {
        let report = try await Self.report(
            try await taken(), Self.words("2026-01-12T06:00:00Z", "2026-02-20", "month"))
        #expect(
            report.rows.map { $0.from.rfc3339 } == [
                "2026-01-12T06:00:00.000Z", "2026-02-01T00:00:00.000Z",
            ])
        #expect(report.rows.last?.to.rfc3339 == "2026-02-20T00:00:00.000Z")
    }

    @Test("The running interval ends now, or at knownAt, whichever is earlier")
    func running() async throws {
        let ledger = try await taken()
        let open = try await Self.report(ledger, Self.words("2026-05-01", "2026-12-01"))
        #expect(open.rows.map { $0.to } == [Timestamp(userInput: "2026-06-01"), ledger.now])
        let unended = try await Self.report(ledger, Self.words("2026-05-01", nil))
        #expect(unended.rows == open.rows)
        let knownAt = try #require(Timestamp(userInput: "2026-02-10T00:00:00Z"))
        let known = try await Self.report(
            ledger, Self.words(), knowledge: .knownAt(knownAt))
        #expect(known.rows.map { $0.to } == [Timestamp(userInput: "2026-02-01"), knownAt])
        await #expect(throws: MetricsError.self) {
            try await Self.report(
                ledger, Self.words("2026-02-10"), knowledge: .knownAt(knownAt))
        }
    }

    // MARK: Knowledge

    @Test("A report by earlier knowledge equals the report made then")
    func restated() async throws {
        var ledger = try TemporaryLedger()
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        _ = try await ledger.ingest([chain.bought(), silent.bought()])
        let early = try await Self.report(ledger, Self.words(by: ["product"]))
        _ = try await ledger.ingest([chain.renewed(1), chain.turnedOff(1), chain.expired(1)])
        let late = try await Self.report(ledger, Self.words(by: ["product"]))
        let again = try await Self.report(
            ledger, Self.words(by: ["product"]), knowledge: .knownPosition(2))
        #expect(again.rows == early.rows)
        #expect(late.rows != early.rows)
        #expect(again.stamp.position == 2 && late.stamp.position == 5)
    }

    // MARK: Tables

    @Test("A table has one column per figure, and as many in every row")
    func csv() async throws {
        let report = try await Self.report(
            try await taken(), Self.words(by: ["product", "reason"]))
        let rows = CommaSeparated.rows(String(decoding: report.csv(), as: UTF8.self))
        let header = try #require(rows.first)
        #expect(header.prefix(4) == ["from", "to", "product", "reason"])
        #expect(header.suffix(4) == ["churned.total", "activeEnd", "residue", "churnRate"])
        #expect(rows.count == report.rows.count + 1)
        #expect(rows.allSatisfy { $0.count == header.count })
        #expect(rows.dropFirst().allSatisfy { $0[header.count - 2] == "0" })
    }

    @Test("Text for people is aligned, and omits empty columns")
    func text() async throws {
        let report = try await Self.report(try await taken(), Self.words())
        let lines = report.text().split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "churn/1 · Production · by month in UTC")
        #expect(
            lines[3]
                == "from        to          start  new  voluntary  unconfirmed  churned  end     rate"
        )
        #expect(
            lines[4]
                == "2026-01-01  2026-02-01      0    2          0            0        0    2        –"
        )
        #expect(
            lines[5]
                == "2026-02-01  2026-03-01      2    0          0            1        1    1   50.0 %"
        )
        #expect(
            lines[6]
                == "2026-03-01  2026-04-01      1    0          1            0        1    0  100.0 %"
        )
    }
}
