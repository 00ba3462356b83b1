import AppStore
import Foundation
import Testing

@Suite("subledger reconcile and test-notification, against subledger simulate server")
struct ReconcileCommandTests {
    private let apple = APICommandTests()

    @Test(
        "invalid budgets and waits are wrong usage",
        arguments: [
            ["reconcile", "--limit", "0"], ["reconcile", "--requests", "0"],
            ["test-notification", "--wait", "0"], ["test-notification", "--wait", "7201"],
        ])
    func usage(_ arguments: [String]) async throws {
        let place = try Workplace()
        let outcome = try await Outcome.answered(
            arguments + ["--bundle-id", Evidence.app], over: place.file("data"))
        #expect(outcome.code == 64)
        #expect(outcome.errorCode == "invalidOption")
    }

    @Test("without open notices there are no requests; an id unknown to Apple is exit code 1")
    func reconcile() async throws {
        try await apple.serving { place, _ in
            let nothing = try await place.run("reconcile", "--json")
            #expect(nothing.code == 0, "\(nothing.err)")
            #expect(try nothing.json()["chains"]?.int64 == 0)
            try place.write([Evidence.lines[0]], to: "bought.ndjson")
            let taken = try await place.run(["ingest", "bought.ndjson"] + Evidence.options)
            #expect(taken.code == 0)
            let outcome = try await place.run("reconcile", "--json")
            #expect(outcome.code == 1, "\(outcome.err)")
            let result = try outcome.json()["results"]?.array?.first
            #expect(result?["originalTransactionId"]?.string == Evidence.id)
            #expect(result?["before"]?.array?.compactMap(\.string) == ["renewalOverdue"])
            #expect(result?["outcome"]?.string == "unknown")
            let reported = try await place.run("reconcile", "--limit", "1")
            #expect(reported.out.contains("\(Evidence.id): renewalOverdue -> unknown"))
        }
    }

    @Test("--all also looks up a chain whose notice is not about something missing")
    func all() async throws {
        try await apple.serving { place, _ in
            // given
            let renewed = Evidence.start + Evidence.month + 5_000
            var lines = Evidence.lines
            lines[1] = try Evidence.line(
                "DID_RENEW", nil, 1, at: renewed, received: renewed + 3_600_000)
            try place.write(lines, to: "late.ndjson")
            let data = place.file("data")
            let taken = try await Outcome.answered(
                [
                    "ingest", place.file("late.ndjson"), "--bundle-id", Evidence.app,
                    "--trust-root", place.file("root.der"),
                ], over: data)
            #expect(taken.code == 0, "\(taken.err)")
            let reconcile = ["reconcile", "--json"] + place.options
            // when
            let usual = try await Outcome.answered(reconcile, over: data)
            let all = try await Outcome.answered(reconcile + ["--all"], over: data)
            // then
            #expect(usual.code == 0, "\(usual.err)")
            #expect(try usual.json()["chains"]?.int64 == 0)
            let results = try all.json()["results"]?.array ?? []
            let notices = results.map { $0["before"]?.array?.compactMap(\.string) }
            #expect(notices == [["lateDelivery"]], "\(all.err)")
        }
    }

    @Test("--base-url replaces the URL of each app with a key")
    func baseUrlOfSeveralApps() async throws {
        try await apple.serving { place, _ in
            try place.write([Evidence.lines[0]], to: "bought.ndjson")
            let taken = try await place.run(["ingest", "bought.ndjson"] + Evidence.options)
            #expect(taken.code == 0)
            let apps = try place.configured(
                [Workplace.app, "com.example.other"], baseUrl: "http://127.0.0.1:1")
            let address = try #require(place.options.last)
            let asked = try await place.run(
                ["reconcile", "--json", "--base-url", address] + apps)
            #expect(asked.code == 1, "\(asked.err)")
            let result = try asked.json()["results"]?.array?.first
            #expect(result?["outcome"]?.string == "unknown", "\(asked.out)")
        }
    }

    @Test("of several apps each result names its own, and a refused key the app that it is of")
    func severalApps() async throws {
        try await apple.serving { place, _ in
            // The server accepts the key for the first app only.
            let other = "com.example.other"
            let apps = try place.configured([Workplace.app, other])
            let sold = try Evidence.line(
                "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 4_000, app: other)
            try place.write([Evidence.lines[0], sold], to: "bought.ndjson")
            let taken = try await place.run(
                ["ingest", "bought.ndjson", "--trust-root", "root.der"] + apps)
            #expect(taken.code == 0, "\(taken.err)")
            let outcome = try await place.run(["reconcile"] + apps)
            #expect(outcome.code == 78)
            #expect(outcome.err.contains("error: unauthorized: \(other): "), "\(outcome.err)")
            for (app, result) in [(Workplace.app, "unknown"), (other, "failed")] {
                let line = "\(app) \(Evidence.id): renewalOverdue -> \(result)"
                #expect(outcome.out.contains(line), "\(outcome.out)")
            }
        }
    }

    @Test("beside the failure that ends the run, a warning names the app with a refused key")
    func refusedKeyBesideAnotherFailure() async throws {
        // The refused key fails at an earlier request.
        let faults =
            #"[{"fault":"rateLimited","milliseconds":600000,"#
            + #""endpoint":"allSubscriptionStatuses"}]"#
        try await apple.serving(faults: faults) { place, _ in
            // The server accepts the key for the first app only.
            let other = "com.example.other"
            let apps = try place.configured([Workplace.app, other])
            let sold: [(String, String)] =
                [(Evidence.id, other)]
                + (2...4).map { ("60000000000000\($0)", Workplace.app) }
            try place.write(
                sold.map { id, app in
                    try Evidence.line(
                        "SUBSCRIBED", "INITIAL_BUY", 0, at: Evidence.start + 3_000, id: id,
                        app: app)
                }, to: "bought.ndjson")
            let taken = try await place.run(
                ["ingest", "bought.ndjson", "--trust-root", "root.der"] + apps)
            #expect(taken.code == 0, "\(taken.err)")
            let outcome = try await place.run(["reconcile"] + apps)
            #expect(outcome.code == 74)
            #expect(
                outcome.err.contains("error: rateLimited: \(Workplace.app): "), "\(outcome.err)")
            #expect(
                outcome.err.contains("warning: unauthorized: \(other): "), "\(outcome.err)")
        }
    }

    @Test("a TEST that arrives elsewhere, or has no address, is reported, and exit code 1")
    func testNotification() async throws {
        try await apple.serving { place, _ in
            let outcome = try await place.run("test-notification", "--json")
            #expect(outcome.code == 1)
            let json = try outcome.json()
            #expect(json["arrived"]?.bool == false)
            #expect(json["diagnosis"]?["code"]?.string == "arrivedElsewhere")
        }
        let faults = #"[{"fault":"error","code":4040007,"endpoint":"requestTestNotification"}]"#
        try await apple.serving(faults: faults) { place, _ in
            let outcome = try await place.run("test-notification")
            #expect(outcome.code == 1)
            #expect(outcome.out.hasPrefix("noServerURL: "))
        }
        let undelivered = #"[{"fault":"delivery","result":"TLS_ISSUE"}]"#
        try await apple.serving(faults: undelivered) { place, _ in
            let outcome = try await place.run("test-notification")
            #expect(outcome.code == 1)
            #expect(outcome.out.contains("TLS 1.2"))
        }
    }
}
