import AppStore
import Foundation
import Testing

@Suite("subledger recover, against subledger simulate server")
struct RecoverCommandTests {
    private static let window = [
        "--from", "2026-03-01T00:00:00Z", "--to", "2026-05-20T00:00:00Z",
    ]

    @Test("missing events arrive, once; the second time nothing changes")
    func twice() async throws {
        try await APICommandTests().serving { place, _ in
            let recover = ["recover", "--json"] + RecoverCommandTests.window + place.options
            let first = try await place.run(recover)
            #expect(first.code == 0, "\(first.err)")
            let report = try first.json()
            let fetched = try #require(report["fetched"]?.int64)
            #expect(fetched > 20)
            #expect(report["known"]?.int64 == 0)
            let sum = report["new"]?.object?.reduce(Int64(0)) { $0 + ($1.value.int64 ?? 0) }
            #expect(sum == fetched)
            #expect(report["completeThrough"]?.string == "2026-05-20T00:00:00.000Z")
            let audit = try await place.run(["audit", "verify", "--json", "--data", "data"])
            let second = try await place.run(recover).json()
            #expect(second["fetched"]?.int64 == fetched)
            #expect(second["known"]?.int64 == fetched)
            #expect(second["new"]?.object?.isEmpty == true)
            #expect(second["position"] == report["position"])
            let again = try await place.run(["audit", "verify", "--json", "--data", "data"])
            #expect(try again.json()["root"] == (try audit.json()["root"]))
        }
    }

    @Test("where nothing is missing, the report has every member")
    func nothing() async throws {
        try await APICommandTests().serving { place, _ in
            let suggested = ["recover", "--suggested", "--json"] + place.options
            let empty = try await place.run(suggested)
            #expect(empty.code == 0, "\(empty.err)")
            let text = try await place.run(["recover", "--suggested"] + place.options)
            #expect(text.out.hasPrefix("No delivery is known here"), "\(text.out)")
            let report = try await place.run(
                ["recover", "--json"] + RecoverCommandTests.window + place.options
            ).json()
            let quiet = try await place.run(suggested).json()
            for json in [try empty.json(), quiet] {
                let members = Set(json.object?.map(\.key) ?? [])
                #expect(members == Set(report.object?.map(\.key) ?? []).union(["suggested"]))
                #expect(json["suggested"]?.array?.isEmpty == true)
                #expect(json["chainsChanged"]?.array?.isEmpty == true)
                #expect(json["tooOld"]?.int64 == 0)
            }
            #expect(try empty.json()["completeThrough"]?.isNull == true)
            #expect(try empty.json()["position"]?.int64 == 0)
            #expect(quiet["completeThrough"] == report["completeThrough"])
            #expect(quiet["position"] == report["position"])
        }
    }

    @Test("killed on the way, the same command fetches the rest, and nothing twice")
    func killed() async throws {
        let faults = "[{\"fault\":\"slow\",\"milliseconds\":150}]"
        try await APICommandTests().serving(faults: faults) { place, _ in
            let recover = ["recover", "--json"] + RecoverCommandTests.window + place.options
            let launched = try place.launch(recover)
            let log = place.ledgerFile("log.sqlite-wal")
            // As soon as there is something to lose: some pages' worth.
            let ending = try await launched.kill {
                let size = (try? FileManager.default.attributesOfItem(atPath: log))?[.size]
                return (size as? Int ?? 0) > 200_000
            }
            #expect(ending == .killed)
            let done = try await place.run(recover)
            #expect(done.code == 0, "\(done.err)")
            let report = try done.json()
            let uuids = try await place.run([
                "export", "events", "--format", "ndjson", "--data", "data",
            ]).out.split(separator: "\n").compactMap { line in
                try JSONValue.parse(Array(line.utf8))["notificationUUID"]?.string
            }
            #expect(Int64(uuids.count) == report["fetched"]?.int64)
            #expect(Set(uuids).count == uuids.count)
            #expect(report["completeThrough"]?.string == "2026-05-20T00:00:00.000Z")
            let audit = try await place.run(["audit", "verify", "--json", "--data", "data"])
            #expect(try audit.json()["sound"]?.bool == true)
        }
    }

    @Test("a report whose output was lost is printed again, without requests")
    func last() async throws {
        try await APICommandTests().serving { place, _ in
            let none = try await place.run(["recover", "--last"] + place.options)
            #expect(none.code == 1)
            #expect(none.errorCode == "noRecoveryReport")
            let recover = ["recover", "--json"] + RecoverCommandTests.window + place.options
            let done = try await place.run(recover)
            #expect(done.code == 0)
            // No key, no address: no request is possible.
            let local = ["--data", "data"]
            let again = try await place.run(["recover", "--last", "--json"] + local)
            #expect(again.code == 0, "\(again.err)")
            #expect(again.out == done.out)
            let plain = try await place.run(["recover", "--last"] + local)
            #expect(plain.out.contains("notifications from Apple: 0 known"))
            let other = try await place.run(
                ["recover", "--last", "--bundle-id", "com.example.other"] + local)
            #expect(other.code == 1)
        }
    }

    @Test("without --to, the last five minutes are not confirmed")
    func openEnd() async throws {
        let arguments = [
            "--authority", "apple", "--port", "0", "--chains", "5", "--bundle-id",
            "com.example.app",
        ]
        try await APICommandTests().serving(arguments: arguments) { place, _ in
            let before = Date()
            let from = ISO8601DateFormatter().string(from: before.addingTimeInterval(-3_600))
            let done = try await place.run(
                ["recover", "--json", "--from", from] + place.options)
            #expect(done.code == 0, "\(done.err)")
            let report = try done.json()
            let (to, through) = (
                try RecoverCommandTests.time(report["to"]),
                try RecoverCommandTests.time(report["completeThrough"])
            )
            #expect(to >= Int64(before.timeIntervalSince1970 * 1_000))
            // Five minutes before the request, which is a moment after the end was chosen.
            let after = Int64(Date().timeIntervalSince1970 * 1_000)
            #expect(through < to && through <= after - 5 * 60_000)
            let soon = ISO8601DateFormatter().string(from: Date().addingTimeInterval(-60))
            let short = try await place.run(
                ["recover", "--json", "--from", soon] + place.options)
            #expect(try short.json()["completeThrough"] == report["completeThrough"])
        }
    }

    @Test("nothing is confirmed after the time of the store, which its Date states")
    func pastStore() async throws {
        let store = APICommandTests.usualStore
        try await APICommandTests().serving(arguments: store) { place, _ in
            let done = try await place.run(
                ["recover", "--json", "--from", "2026-05-20T00:00:00Z"] + place.options)
            #expect(done.code == 0, "\(done.err)")
            let through = try RecoverCommandTests.time(done.json()["completeThrough"])
            let opened = try #require(Timestamp(userInput: "2026-06-01T00:00:00Z"))
            #expect(through < opened.milliseconds)
        }
    }

    @Test("what Apple could not deliver in the last days is suggested, fetched and then confirmed")
    func suggested() async throws {
        let format = ISO8601DateFormatter()
        func daysAgo(_ days: Double) -> String {
            format.string(from: Date().addingTimeInterval(-days * 86_400))
        }
        let arguments = [
            "--authority", "apple", "--port", "0", "--chains", "300", "--bundle-id",
            "com.example.app", "--outage", "\(daysAgo(9))/\(daysAgo(1))",
            // Lives continue whenever this runs.
            "--first-purchases", "\(daysAgo(900))/\(daysAgo(100))",
        ]
        try await APICommandTests().serving(arguments: arguments) { place, _ in
            // The suggested window begins after the end of this one, which it extends.
            let earlier = ["recover", "--from", daysAgo(30), "--to", daysAgo(20)]
            #expect(try await place.run(earlier + place.options).code == 0)
            let done = try await place.run(["recover", "--suggested", "--json"] + place.options)
            #expect(done.code == 0, "\(done.err)")
            let report = try done.json()
            let windows = report["suggested"]?.array ?? []
            #expect(windows.contains { $0["reasons"]?.array?.first?.string == "failedDeliveries" })
            #expect((report["new"]?.object?.count ?? 0) > 0)
            #expect(report["undelivered"]?.array?.isEmpty == false)
            #expect(report["reservation"]?.isNull == true)
            // Nothing of it appears missing any more.
            let again = try await place.run(["recover", "--suggested", "--json"] + place.options)
            #expect(try again.json()["suggested"]?.array?.isEmpty == true)
        }
    }

    @Test(
        "an invalid time range is reported before a store is opened",
        arguments: [
            ("--outage", "2026-01-01"), ("--outage", "soon/2026-01-01"),
            ("--outage", "2026-02-01/2026-01-01"), ("--first-purchases", "2026-01-01"),
        ])
    func stretches(option: String, text: String) async throws {
        let place = try Workplace(options: [])
        let reported = try await place.run(
            "simulate", "server", "--authority", "apple", "--port", "0", "--bundle-id",
            "com.example.app", "--json", option, text)
        #expect(reported.code == 64)
        #expect(reported.err.contains(option))
    }

    private static func time(_ value: JSONValue?) throws -> Int64 {
        try #require(value?.string.flatMap { Timestamp(userInput: $0) }).milliseconds
    }

    @Test("what cannot be appended is reported, and is exit code 1")
    func spoilt() async throws {
        let faults = "[{\"fault\":\"badSignature\",\"from\":2,\"count\":1}]"
        try await APICommandTests().serving(faults: faults) { place, _ in
            let recover = ["recover", "--json"] + RecoverCommandTests.window + place.options
            let done = try await place.run(recover)
            #expect(done.code == 1)
            let report = try done.json()
            #expect((report["refused"]?.int64 ?? 0) > 0)
            #expect(report["reservation"]?.string == "refused")
            #expect(report["completeThrough"]?.isNull == true)
            let again = try await place.run(["recover", "--last", "--json", "--data", "data"])
            #expect(again.code == 1)
            #expect(again.out == done.out)
        }
    }

    @Test(
        "an invalid request is reported before anything is sent",
        arguments: [
            [], ["--from", "yesterday"], ["--from", "2026-03-01", "--to", "2026-02-01"],
            ["--suggested", "--from", "2026-03-01"],
            ["--from", "2026-03-01", "--types", "NOTHING"],
            ["--from", "2026-03-01", "--types", "EXPIRED", "--id", "1"],
            ["--last", "--from", "2026-03-01"], ["--last", "--suggested"],
            ["--from", "2026-03-01", "--id", ""], ["--from", "2026-03-01", "--id", "abc"],
        ])
    func usage(_ arguments: [String]) async throws {
        let place = try Workplace()
        let outcome = try await Outcome.answered(
            ["recover", "--bundle-id", Evidence.app] + arguments, over: place.file("data"))
        #expect(outcome.code == 64)
        #expect(outcome.err.hasPrefix("error: invalid"))
    }
}
