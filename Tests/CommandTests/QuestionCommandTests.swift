import AppStore
import ArgumentParser
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Reports
import Testing

@testable import subledger

@Suite("Queries with subledger")
struct QuestionCommandTests {
    private func show(_ place: Workplace, _ arguments: String...) async throws -> JSONValue {
        let outcome = try await Outcome.answered(
            ["show"] + arguments + ["--json"], over: place.file("data"))
        #expect(outcome.code == 0, "\(outcome.err)")
        return try outcome.json()
    }

    @Test("show answers for any id, time and knowledge")
    func showAnswers() async throws {
        let place = try await Workplace.taken()
        #expect(try await show(place, Evidence.id)["state"]?.string == "expired")
        #expect(try await show(place, Evidence.id + "1")["state"]?.string == "expired")
        let at = "2026-01-20T00:00:00.000Z"
        #expect(try await show(place, Evidence.id, "--at", at)["state"]?.string == "subscribed")
        let milliseconds = String(Evidence.start + Evidence.month)
        let renewed = try await show(place, Evidence.id, "--at", milliseconds)
        #expect(renewed["state"]?.string == "renewing")
        let known = try await show(place, Evidence.id, "--known-position", "1")
        #expect(known["position"]?.int64 == 1)
        #expect(known["notices"]?.array?.first?["code"]?.string == "renewalOverdue")
        let then = try await show(place, Evidence.id, "--known-at", at)
        #expect(then["knownAt"]?.string == at)
    }

    @Test("A missing subscription is exit code 1 with noSuchSubscription")
    func unknown() async throws {
        let place = try await Workplace.taken()
        for arguments in [
            ["show", "42"], ["timeline", "42"],
            ["show", Evidence.id, "--at", "2026-01-10T11:59:59.999Z"],
            ["show", Evidence.id, "--known-position", "0"],
        ] {
            let outcome = try await Outcome.answered(
                arguments + ["--json"], over: place.file("data"))
            #expect(outcome.code == 1)
            #expect(outcome.errorCode == "noSuchSubscription")
            #expect(outcome.out.isEmpty)
        }
    }

    @Test("A timeline is text for people, JSON for programs")
    func timeline() async throws {
        let place = try await Workplace.taken()
        let text = try await place.answered("timeline", Evidence.id)
        #expect(text.code == 0)
        #expect(text.out.contains("renewing → expired (voluntary)"))
        let outcome = try await place.answered("timeline", Evidence.id, "--json")
        #expect(outcome.code == 0)
        let keys = try outcome.json().object?.map(\.key)
        #expect(keys == ["chain", "intervals", "entries"])
    }

    @Test(
        "An export is one object per line, or a table",
        arguments: [("subscriptions", 1), ("transitions", 3), ("facts", 2), ("events", 4)])
    func export(subject: String, count: Int) async throws {
        let place = try await Workplace.taken()
        let lines = try await place.run("export", subject, "--json")
        #expect(lines.code == 0)
        let values = try lines.out.split(separator: "\n").map {
            try JSONValue.parse(Array($0.utf8))
        }
        #expect(values.count == count)
        let table = try await place.run("export", subject, "--format", "csv")
        #expect(table.code == 0)
        #expect(table.out.split(separator: "\r\n").count == count + 1)
    }

    @Test("A position beyond the log is refused; its last one gives an empty export")
    func exportBeyond() async throws {
        let place = try await Workplace.taken()
        let count = Int64(try await place.run("export", "events").out.split(separator: "\n").count)
        for command in [["export", "events"], ["warehouse", "transitions"]] {
            let end = try await place.run(command + ["--after", "\(count)"] + place.options)
            #expect(end.code == 0 && end.out.isEmpty, "\(end.err)")
            let beyond = try await place.run(command + ["--after", "\(count + 1)"] + place.options)
            #expect(beyond.code == 1 && beyond.out.isEmpty)
            #expect(beyond.errorCode == "cursorBeyondLog")
        }
    }

    @Test("Events have no state at a time: --at is refused, knowledge is not")
    func exportEventsAt() async throws {
        let place = try await Workplace.taken()
        let outcome = try await place.run("export", "events", "--at", "0")
        #expect(outcome.code == 64 && outcome.out.isEmpty)
        #expect(outcome.errorCode == "invalidOption")
        #expect(outcome.err.contains("use --known-at or --known-position"))
        let known = try await place.run("export", "events", "--known-position", "1")
        #expect(known.code == 0)
        #expect(known.out.split(separator: "\n").count == 1)
    }

    @Test("An export of a time before everything is empty, not an error")
    func exportBefore() async throws {
        let place = try await Workplace.taken()
        let outcome = try await place.run("export", "subscriptions", "--at", "0")
        #expect(outcome.code == 0)
        #expect(outcome.out.isEmpty)
        let after = try await place.run("export", "events", "--after", "3", "--evidence")
        #expect(after.out.split(separator: "\n").count == 1)
        #expect(after.out.contains("signedPayload"))
    }

    @Test("--bundle-id limits a question, a report and an export to the app")
    func oneApp() async throws {
        // given
        let (app, other) = (MadeChain.app, "com.example.other")
        let ledger = try TemporaryLedger(apps: [app, other])
        let chain = MadeChain()
        // An hour later: no notification has the UUID of another.
        let later = MadeChain(
            bundleId: other, start: chain.start.advanced(byMilliseconds: 3_600_000))
        _ = try await ledger.ingest(chain.life + later.life)
        try await ledger.ledger { ledger in
            let asked = [chain, later].map {
                RetentionRecord(
                    requestId: $0.bundleId, chain: $0.chainId, at: $0.start, outcome: .noRule)
            }
            let count = try await ledger.operations.erasureCount()
            let isKept = try await ledger.operations.keep(asked, erasures: count)
            #expect(isKept)
        }
        let data = ledger.configuration.dataDirectory
        let limited = ["--bundle-id", other]
        func answer(_ arguments: String...) async throws -> JSONValue {
            let outcome = try await Outcome.answered(arguments + limited + ["--json"], over: data)
            #expect(outcome.code == 0, "\(outcome.err)")
            return try outcome.json()
        }
        // then
        let unlimited = try await Outcome.answered(["show", chain.id], over: data)
        #expect(unlimited.code == 1 && unlimited.errorCode == "ambiguousId", "\(unlimited.err)")
        #expect(try await answer("show", chain.id)["bundleId"]?.string == other)
        let timeline = try await answer("timeline", chain.id)
        #expect(timeline["chain"]?["bundleId"]?.string == other)
        let matches = try await answer("find", chain.id)["matches"]?.array ?? []
        #expect(Set(matches.map { $0["bundleId"]?.string }) == [other])
        let erasure = try await answer(
            "erase", "--chain", chain.id, "--dry-run", "--by", "dpo", "--reason", "on request")
        let erased = erasure["plan"]?["chains"]?.array ?? []
        #expect(erased.map { $0["bundleId"]?.string } == [other])
        let offers = try await answer(
            "metrics", "retention-offers", "--from", "2026-01-01", "--to", "2026-02-01")
        #expect(offers["unanswered"]?["noRule"]?.int64 == 1)
        let settings = try Settings(
            SharedOptions.parse(["--data", data] + limited), usualFile: nil)
        let report = try await settings.withMetrics(by: .everything) {
            try await $0.metric(try MetricName("starts"), .made(by: ["app"]))
        }
        #expect(Set(report.rows.compactMap { $0.group.last }) == [other])
        let place = try Workplace(options: ["--data", data] + limited)
        for command in [["export", "subscriptions"], ["warehouse", "transitions"]] {
            let lines = try await place.run(command + place.options).out.split(separator: "\n")
            let apps = try lines.map { try JSONValue.parse(Array($0.utf8))["bundleId"]?.string }
            #expect(Set(apps) == [other], "\(command)")
        }
    }

    @Test(
        "Wrong usage exits with 64",
        arguments: [
            ["nonsense"], ["show"], ["show", "1", "2"], ["show", "1", "--at", "yesterday"],
            ["show", "1", "--known-at", "soon"],
            ["show", "1", "--known-at", "0", "--known-position", "1"],
            ["show", "1", "--environment", "mars"], ["show", "1", "--colour"],
            ["export", "everything"], ["export", "events", "--format", "xml"],
            ["bench", "verify", "--events", "0"], ["ingest", "--app-apple-id", "x"],
            ["export", "events", "--json", "--format", "csv"],
            ["export", "events", "--json", "--format", "csv-raw"],
            ["export", "subscriptions", "--evidence"],
            ["audit", "prove", "--position", "1", "--at", "0"],
            ["audit", "prove", "--position", "1", "--known-at", "0"],
            ["audit", "prove", "--position", "1", "--known-position", "1"],
            [
                "audit", "prove", "--metric", "mrr", "--cell", "mrr", "--from", "2026-01-01",
                "--paid",
            ],
        ])
    func wrongUse(arguments: [String]) async throws {
        let place = try Workplace(options: ["--data", "data"])
        let outcome = try await place.run(arguments + place.options)
        #expect(outcome.code == 64, "\(outcome.err)")
        #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome.err)")
        #expect(outcome.out.isEmpty)
    }

    @Test("A wrong value is answered with one line that lists the right ones")
    func wrongValue() async throws {
        let outcome = try await Workplace(options: ["--data", "data"]).run("bench", "nothing")
        #expect(outcome.err.contains(" of the following: verify, append, "), "\(outcome.err)")
        #expect(outcome.err.contains(", proof, all. See `subledger --help`"), "\(outcome.err)")
        let missing = try await Workplace(options: ["--data", "data"]).run("show")
        #expect(missing.err.contains("argument '<id>'. See `subledger --help`"), "\(missing.err)")
    }

    @Test(
        "A known position below 0 is refused",
        arguments: [
            ["show", "1"], ["churn", "--from", "2026-01-01"],
            ["metrics", "diff", "--from", "2026-01-01"],
        ])
    func positionBelowZero(arguments: [String]) async throws {
        let place = try Workplace(options: ["--data", "data"])
        let outcome = try await place.run(arguments + ["--known-position=-5"] + place.options)
        #expect(outcome.code == 64 && outcome.errorCode == "invalidOption", "\(outcome.err)")
        #expect(outcome.err.contains("--known-position takes a position of 0 or more."))
        #expect(outcome.out.isEmpty)
    }

    @Test(
        "A port beyond 65535 is refused by every command that listens",
        arguments: [
            ["serve", "--bundle-id", Evidence.app], ["demo", "--once"],
            ["simulate", "server", "--authority", "apple"],
            ["simulate", "notify", "--authority", "apple", "--to", "http://127.0.0.1:1/"],
        ])
    func ports(arguments: [String]) async throws {
        let place = try Workplace(options: ["--data", "data"])
        for port in ["--port=65536"] + (arguments[0] == "serve" ? ["--port=-1"] : []) {
            let outcome = try await place.run(arguments + [port] + place.options)
            #expect(outcome.code == 64 && outcome.errorCode == "invalidOption", "\(outcome.err)")
            #expect(outcome.out.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: place.file("data")))
        #expect(!FileManager.default.fileExists(atPath: place.file("apple")))
    }

    @Test("Help is output, not an error")
    func help() async throws {
        let outcome = try await Workplace().run(["--help"])
        #expect(outcome.code == 0)
        #expect(outcome.out.contains("USAGE"))
        #expect(outcome.err.isEmpty)
    }
}
