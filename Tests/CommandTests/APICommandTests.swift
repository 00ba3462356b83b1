import AppStore
import Foundation
import Testing

@Suite("subledger api, against subledger simulate server")
struct APICommandTests {
    /// Two hundred lives, as of 2026-06-01.
    static let usualStore = [
        "--authority", "apple", "--port", "0", "--chains", "200", "--now",
        "2026-06-01T00:00:00Z", "--bundle-id", "com.example.app",
    ]

    /// Passes a workplace whose options lead to a simulated API with these faults.
    ///
    /// - Parameter arguments: of a `simulate server` of its own. Without these and without faults
    ///   it is one that tests share, whose time goes on: `body` changes nothing in it.
    func serving(
        faults: String? = nil, arguments: [String]? = nil,
        _ body: (Workplace, [String]) async throws -> Void
    ) async throws {
        guard faults != nil || arguments != nil else {
            let (server, said) = try await SharedApple.started()
            return try await APICommandTests.ask(server, said, body)
        }
        let server = try Workplace(options: [])
        var words = ["simulate", "server", "--json"] + (arguments ?? APICommandTests.usualStore)
        if let faults {
            try server.write([faults], to: "faults.json")
            words += ["--faults", "faults.json"]
        }
        let launched = try server.launch(words)
        let said = try await LaunchedLine.first(of: launched)
        let result: Result<Void, any Error>
        do {
            result = .success(try await APICommandTests.ask(server, said, body))
        } catch { result = .failure(error) }
        launched.signal(SIGTERM)
        let ended = try await launched.outcome()
        #expect(ended.code == 0)
        try result.get()
    }

    /// Passes a workplace whose options lead to the API of that server, and ids that it knows.
    private static func ask(
        _ server: Workplace, _ said: JSONValue,
        _ body: (Workplace, [String]) async throws -> Void
    ) async throws {
        let place = try Workplace(
            options: [
                "--data", "data", "--bundle-id", Workplace.app, "--trust-root",
                server.file("apple/root.der"),
            ] + server.asking(said))
        try await body(place, (said["ids"]?.array ?? []).compactMap(\.string))
    }

    @Test("transaction info is verified, appended, and included in answers")
    func transactionInfo() async throws {
        try await serving { place, ids in
            let asked = try await place.run("api", "transaction-info", ids[0], "--json")
            #expect(asked.code == 0, "\(asked.err)")
            let json = try asked.json()
            #expect(json["environment"]?.string == "Production")
            #expect(json["ingest"]?["appended"]?.int64 == 1)
            let claims = json["answers"]?.array?.first?["signedTransactionInfo"]
            #expect(claims?["transactionId"]?.string == ids[0])
            let shown = try await place.run(
                ["show", ids[0], "--json", "--data", "data"])
            #expect(shown.code == 0)
            #expect(try shown.json()["originalTransactionId"]?.string == ids[0])
            let events = try await place.run([
                "export", "events", "--format", "ndjson", "--data", "data",
            ])
            #expect(events.out.contains("\"source\":\"history\""))
        }
    }

    @Test("notifications fetched once are known the second time")
    func notifications() async throws {
        try await serving { place, _ in
            let question = [
                "api", "notifications", "--from", "2026-03-01T00:00:00Z", "--to",
                "2026-06-01T00:00:00Z", "--json",
            ]
            let data = place.file("data")
            let first = try await Outcome.answered(question + place.options, over: data).json()
            let second = try await Outcome.answered(question + place.options, over: data).json()
            let appended = try #require(first["ingest"]?["appended"]?.int64)
            #expect(appended > 0)
            #expect(second["ingest"]?["appended"]?.int64 == 0)
            #expect(second["ingest"]?["duplicates"]?.int64 == appended)
            #expect(second["ingest"]?["position"] == first["ingest"]?["position"])
        }
    }

    @Test("pages before a failure are taken in and printed, and no more of them than --pages")
    func pages() async throws {
        let faults =
            #"[{"fault":"error","code":4000012,"endpoint":"notificationHistory","#
            + #""from":2,"count":1}]"#
        try await serving(faults: faults) { place, _ in
            let since = ["api", "notifications", "--from", "2026-03-01"] + place.options
            let question = since + ["--to", "2026-06-01"]
            func ask(_ arguments: [String]) async throws -> Outcome {
                try await Outcome.answered(arguments, over: place.file("data"))
            }
            // when: the second page is refused
            let failed = try await ask(question + ["--json"])
            // then
            #expect(failed.code == 1 && failed.errorCode == "refusedByApple", "\(failed.err)")
            let first = try failed.json()
            let page = first["answers"]?.array?.first?["notificationHistory"]?.array
            #expect(page?.count == 20 && first["answers"]?.array?.count == 1)
            #expect(first["hasMore"]?.bool == true)
            let appended = try #require(first["ingest"]?["appended"]?.int64)
            #expect(appended > 0)
            // when
            let one = try await ask(question + ["--json", "--pages", "1"])
            let two = try await ask(question + ["--json", "--pages", "2"])
            let text = try await ask(question + ["--pages", "1"])
            let none = try await ask(since + ["--to", "2026-03-01T00:00:00.001Z", "--json"])
            // then
            let (again, further) = (try one.json(), try two.json())
            #expect(one.code == 0 && again["answers"]?.array?.count == 1, "\(one.err)")
            #expect(again["hasMore"]?.bool == true)
            #expect(again["ingest"]?["duplicates"]?.int64 == appended)
            #expect(two.code == 0 && further["answers"]?.array?.count == 2)
            #expect((further["ingest"]?["appended"]?.int64 ?? 0) > 0)
            #expect(text.out.contains("… and more: raise --pages\n"))
            #expect(try none.json()["hasMore"]?.bool == false)
        }
    }

    @Test("mutating calls are only described without --yes, and sent with it")
    func consent() async throws {
        try await serving { place, ids in
            let said = try await place.run("api", "finish", ids[0])
            #expect(said.code == 64)
            #expect(said.errorCode == "notConfirmed")
            let done = try await place.run("api", "finish", ids[0], "--yes")
            #expect(done.code == 0, "\(done.err)")
            #expect(done.out == "Apple has accepted it.\n")
        }
    }

    @Test("days and a request identifier that Apple does not take are refused, also without --yes")
    func extensions() async throws {
        let data = try Workplace().file("data")
        let (longest, id) = (String(repeating: "r", count: 128), UUID().uuidString)
        for (command, days, id, isTaken) in [
            ("extend", "90", longest, true), ("extend", "91", longest, false),
            ("extend", "3", longest + "r", false), ("extend-all", "90", id, true),
            ("extend-all", "91", id, false), ("extend-all", "3", "r", false),
        ] {
            for confirmation in isTaken ? [[]] : [[], ["--yes"]] {
                let outcome = try await Outcome.answered(
                    [
                        "api", command, "1", "--days", days, "--reason", "3", "--request-id", id,
                        "--bundle-id", Evidence.app,
                    ] + confirmation, over: data)
                let code = isTaken ? "notConfirmed" : "invalidOption"
                #expect(outcome.code == 64 && outcome.errorCode == code, "\(outcome.err)")
            }
        }
    }

    @Test("a corrupt signature is shown as such, rejected, and never appended")
    func badSignature() async throws {
        try await serving(faults: "[{\"fault\":\"badSignature\"}]") { place, ids in
            let asked = try await place.run("api", "transaction-info", ids[0], "--json")
            #expect(asked.code == 1)
            let json = try asked.json()
            #expect(json["ingest"]?["appended"]?.int64 == 0)
            #expect(json["ingest"]?["rejected"]?.int64 == 1)
            let shown = json["answers"]?.array?.first?["signedTransactionInfo"]
            #expect(shown?["unverified"]?.string == "signatureMismatch")
        }
    }

    @Test("revocation: require keeps out of the log what has no known status, by every command")
    func revocationUnknown() async throws {
        try await serving { place, ids in
            // given
            // The responder that the certificates name is nowhere (RFC 6761 §6.4).
            let options = try place.configured(
                [Workplace.app], others: ["verification: { revocation: require }"])
            let window = ["--from", "2026-03-01T00:00:00Z", "--to", "2026-05-20T00:00:00Z"]
            let commands = [
                ["api", "transaction-info", ids[0]], ["backfill"], ["recover"] + window,
                ["quarantine", "retry"],
            ]
            for command in commands {
                // when
                let outcome = try await place.run(command + options, input: ids[0])
                // then
                #expect(outcome.code == 1, "\(command) \(outcome.err)")
                let events = try await place.run(["export", "events"] + options)
                #expect(events.code == 0 && events.out.isEmpty, "\(command)")
            }
            let list = try await place.run(["quarantine", "list", "--json"] + options)
            let items = try list.json()["items"]?.array ?? []
            let codes = Set(items.map { $0["code"]?.string })
            #expect(codes == ["revocationUnknown"])
        }
    }

    @Test("an id unknown to Apple is exit code 1, and a rejected key 78")
    func refusals() async throws {
        try await serving { place, ids in
            let unknown = try await place.run("api", "transaction-info", "1")
            #expect(unknown.code == 1)
            #expect(unknown.errorCode == "refusedByApple")
            #expect(unknown.err.contains("4040010"))
            let options = place.options.map { $0 == "SIMULATED1" ? "OTHER" : $0 }
            let stranger = try await place.run(["api", "transaction-info", ids[0]] + options)
            #expect(stranger.code == 78)
            #expect(stranger.errorCode == "unauthorized")
        }
    }

    @Test("an order is asked in Production; another environment is refused, and gets no ledger")
    func order() async throws {
        try await serving { place, ids in
            let asking = ["api", "order", "MK\(ids[0])", "--json"] + place.options
            let sandbox = try await place.run(asking + ["--environment", "sandbox"])
            #expect(sandbox.code == 64 && sandbox.errorCode == "invalidOption", "\(sandbox.err)")
            let variable = try await place.run(
                asking, variables: ["SUBLEDGER_ENVIRONMENT": "sandbox"])
            #expect(variable.code == 64 && variable.errorCode == "invalidOption")
            #expect(!FileManager.default.fileExists(atPath: place.file("data")))
            for named in [[], ["--environment", "production"]] {
                let asked = try await place.run(asking + named)
                #expect(asked.code == 0, "\(asked.err)")
                #expect(try asked.json()["environment"]?.string == "Production")
            }
        }
    }

    @Test(
        "without a key no request is possible, and no list is read",
        arguments: [
            ["api", "statuses", "1"], ["backfill", "nowhere"], ["reconcile"],
            ["test-notification"], ["recover", "--from", "2026-03-01T00:00:00Z"],
        ], [["--bundle-id", Evidence.app], []])
    func noKey(_ arguments: [String], _ options: [String]) async throws {
        let data = try Workplace().file("data")
        let outcome = try await Outcome.answered(arguments + options, over: data)
        #expect(outcome.code == 78)
        #expect(outcome.errorCode == "missingKey")
    }

    @Test("a base URL that would expose the token is refused, and not quoted")
    func baseUrl() async throws {
        let place = try Workplace()
        try place.write(["x"], to: "key.p8")
        let outcome = try await place.run(
            "api", "statuses", "1", "--key-id", "k", "--issuer-id", "i", "--key-file", "key.p8",
            "--base-url", "https://user:secretword@example.com")
        #expect(outcome.code == 78)
        #expect(!outcome.err.contains("secretword"))
    }

    @Test("Retention messages are uploaded, listed, set as default and tested")
    func retentionMessages() async throws {
        try await serving(arguments: APICommandTests.usualStore) { place, ids in
            func answer(_ arguments: String..., yes: Bool = true) async throws -> JSONValue? {
                let asked = try await place.run(
                    ["api"] + arguments + (yes ? ["--yes"] : []) + ["--json"] + place.options)
                #expect(asked.code == 0, "\(asked.err)")
                return try asked.json()["answers"]?.array?.first
            }
            let id = "758883e8-151b-47b7-abd0-60c4d804c2f5"
            let message = ["upload-message", id, "--header", "Stay", "--body", "More"]
            let refused = try await place.run(["api"] + message + place.options)
            #expect(refused.code == 64)
            let misplaced = try await place.run(
                ["api"] + message + ["--yes", "--header-position", "LEFT"] + place.options)
            #expect(misplaced.errorCode == "invalidOption")
            _ = try await answer("upload-message", id, "--header", "Stay", "--body", "More")
            let again = try await place.run(["api"] + message + ["--yes"] + place.options)
            #expect(again.code != 0)
            let listed = try await answer("messages", yes: false)
            let item = listed?["messageIdentifiers"]?.array?.first
            #expect(item?["messageIdentifier"]?.string == id)
            _ = try await answer("set-default-message", "com.example.pro", "en-US", id)
            let shown = try await answer("default-message", "com.example.pro", "en-US", yes: false)
            #expect(shown?["messageIdentifier"]?.string == id)
            // Nothing listens there.
            _ = try await answer("set-realtime-url", "http://127.0.0.1:1/appstore/retention")
            let test = try await answer("performance-test", ids[0])
            let request = try #require(test?["requestId"]?.string)
            var result: JSONValue?
            repeat {
                result = try await answer("performance-test-result", request, yes: false)
            } while result?["result"]?.string == "PENDING"
            #expect(result?["result"]?.string == "FAIL")
            let failures = (result?["failures"]?.object ?? []).compactMap(\.value.int64)
            #expect(failures.reduce(0, +) == test?["config"]?["totalRequests"]?.int64)
            let text = try await place.run(
                ["api", "performance-test-result", request] + place.options
            ).out
            for part in [
                "  config: {\n    maxConcurrentRequests: 10\n", "\n    successRateThreshold: 95\n",
                "\n  result: \"FAIL\"\n  successRate: 0\n  numPending: 0\n", "\n    p99: ",
            ] { #expect(text.contains(part), "\(part)") }
        }
    }
}
