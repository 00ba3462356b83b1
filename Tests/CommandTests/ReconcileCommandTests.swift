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
        let outcome = try await Workplace().run(arguments + Evidence.options)
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

    @Test("--base-url replaces the URL of each app with a key")
    func baseUrlOfSeveralApps() async throws {
        try await apple.serving { place, _ in
            try place.write([Evidence.lines[0]], to: "bought.ndjson")
            let taken = try await place.run(["ingest", "bought.ndjson"] + Evidence.options)
            #expect(taken.code == 0)
            func option(_ name: String) throws -> String {
                place.options[try #require(place.options.firstIndex(of: name)) + 1]
            }
            let root = try option("--trust-root")
            var lines = ["dataDirectory: data", "trustedRoots: ['\(root)']", "apps:"]
            for app in [Workplace.app, "com.example.other"] {
                lines += [
                    "  - bundleId: \(app)", "    api:", "      keyId: \(try option("--key-id"))",
                    "      issuerId: \(try option("--issuer-id"))",
                    "      privateKeyFile: '\(try option("--key-file"))'",
                    "      baseUrl: 'http://127.0.0.1:1'",
                ]
            }
            try place.write(lines, to: "two.yaml")
            let asked = try await place.run([
                "reconcile", "--config", "two.yaml", "--json", "--base-url",
                try option("--base-url"),
            ])
            #expect(asked.code == 1, "\(asked.err)")
            let result = try asked.json()["results"]?.array?.first
            #expect(result?["outcome"]?.string == "unknown", "\(asked.out)")
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
