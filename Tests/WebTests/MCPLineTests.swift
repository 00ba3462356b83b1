import AppStore
import Ledger
import Testing

@testable import Console
@testable import Service
@testable import Web

@Suite("The Model Context Protocol on standard input")
struct MCPLineTests {
    private static func message(_ id: Int, _ method: String, _ params: String = "{}") -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#.utf8)
    }

    @Test("A line that is no message gets an error with its id, if it has one, and ends nothing")
    func lines() async throws {
        try await ServedPlace.single().serve { (_: WebClient, host: LedgerHost) async throws in
            let server = MCPServer(host: host)
            let ping = MCPLineTests.message(7, "ping")
            let padding = MCPLimits.messageByteCount - ping.count
            let longest = ping + Array(repeating: UInt8(ascii: " "), count: padding)
            let lines: [([UInt8], Bool, String?, Int64?)] = [
                (Array("{".utf8), false, "malformedJSON", nil),
                (Array("[]".utf8), false, "invalidBody", nil),
                (Array(#"{"jsonrpc":"2.0","id":7,"method":5}"#.utf8), false, "invalidBody", 7),
                (Array(#"{"id":7,"method":"ping"}"#.utf8), false, "invalidBody", 7),
                (Array(#"{"jsonrpc":"2.0","id":{},"method":"a"}"#.utf8), false, "invalidBody", nil),
                (ping, true, "payloadTooLarge", nil),
                (longest + [UInt8(ascii: " ")], false, "payloadTooLarge", 7),
                (longest, false, nil, 7),
            ]
            for (line, isTooLong, code, id) in lines {
                let written = try #require(
                    await server.response(toLine: line, isTooLong: isTooLong))
                let response = try JSONValue.parse(written)
                #expect(response["error"]?["data"]?["code"]?.string == code)
                #expect(response["id"]?.int64 == id)
                #expect((response["id"]?.isNull == true) == (id == nil))
            }
        }
    }

    @Test("An event whose evidence is longer than a result may be is a refusal")
    func longEvidence() async throws {
        // given
        var transaction = MadePurchase().transaction(0)
        transaction.deviceVerification = String(repeating: "x", count: 100_000)
        let upload = try MadePurchase.upload(transaction)
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            let taken = try await client.post("/v1/transactions", upload)
            #expect(taken.status == 200)
            // when
            let call = MCPLineTests.message(
                1, "tools/call", #"{"name":"evidence","arguments":{"position":1}}"#)
            let written = try #require(
                await MCPServer(host: host).response(toLine: call, isTooLong: false))
            // then
            let result = try JSONValue.parse(written)["result"]
            #expect(result?["isError"]?.bool == true)
            #expect(result?["structuredContent"]?["code"]?.string == "answerTooLarge")
        }
    }

    @Test("The command does not say that intake works, which is the service's; the service does")
    func intake() async throws {
        let purchase = MadePurchase()
        try await ServedPlace.single().serve(renewed: purchase) { _, host in
            for isServing in [false, true] {
                let server = MCPServer(host: host, isServing: isServing)
                let missing = MCPLineTests.message(1, "tools/call", #"{"name":"missing"}"#)
                let written = try #require(
                    await server.response(toLine: missing, isTooLong: false))
                let result = try JSONValue.parse(written)["result"]
                let text = result?["content"]?.array?.first?["text"]?.string ?? ""
                #expect(text.contains("Intake works.") == isServing)
                let reading =
                    "This command takes nothing in; the log can be written."
                    + " Last notification: \(ServedPlace.now.rfc3339)."
                #expect(text.contains(reading) != isServing)
                #expect(result?["structuredContent"]?["ready"]?.bool == true)
            }
        }
    }

    @Test("Access is stated with its end, its absence with its beginning, both with what was known")
    func access() async throws {
        // given
        let id = "0b0b0b0b-0000-4000-8000-00000000002a"
        var made = MadePurchase()
        made.appAccountToken = id
        let end = "2026-03-11T12:00:00.000Z"
        let now = ServedPlace.now.rfc3339
        let cases = [
            (
                #"{"customer":"\#(id)","at":"2026-02-20T00:00:00.000Z"}"#, "Access to ",
                " until \(end): "
            ),
            (#"{"customer":"\#(id)"}"#, "No access to ", " since \(end): "),
            (#"{"subscription":"\#(made.id)"}"#, "Caution, \(made.id): ", "."),
            (
                #"{"subscription":"\#(made.id)","knownAt":"\#(now)"}"#, "As of \(now)",
                ", as known at \(now), log position 2; "
            ),
        ]
        try await ServedPlace.single().serve(renewed: made) { client, _ in
            for (arguments, beginning, rest) in cases {
                // when
                let result = try await MCPRouteTests.call(client, "access", arguments)
                // then
                let lines = MCPRouteTests.text(result).split(separator: "\n")
                let isStated = lines.contains { $0.hasPrefix(beginning) && $0.contains(rest) }
                #expect(isStated, "\(lines)")
            }
        }
    }

    @Test("Access comes first, then the newest end, as in the console; the JSON is by name")
    func order() async throws {
        // given
        let id = "0b0b0b0b-0000-4000-8000-00000000002a"
        let uploads = try [("com.example.a", 0), ("com.example.z", 1)].map { product, period in
            var made = MadePurchase()
            (made.id, made.appAccountToken) = ("50000000000000\(period + 1)", id)
            made.start = made.start(period)
            var transaction = made.transaction(0)
            transaction.productId = ProductId(product)
            return try MadePurchase.upload(transaction)
        }
        try await ServedPlace.single().serve { (client: WebClient, _: LedgerHost) async throws in
            for upload in uploads {
                #expect(try await client.post("/v1/transactions", upload).status == 200)
            }
            let grant = #"{"entitlement":"zzz","until":"2030-01-31T00:00:00.000Z"}"#
            let granted = try await client.post(
                "/v1/customers/\(id)/grants", Array(grant.utf8), .decision())
            let position = try #require(granted.json["position"]?.int64)
            // when
            let result = try await MCPRouteTests.call(
                client, "access", #"{"customer":"\#(id)","minPosition":\#(position)}"#)
            // then
            let named = MCPRouteTests.text(result).split(separator: "\n").compactMap { line in
                line.hasPrefix("Access to ") || line.hasPrefix("No access to ")
                    ? line.split(separator: " ").drop { $0 != "to" }.dropFirst().first : nil
            }
            #expect(named == ["zzz", "com.example.z", "com.example.a"])
            let listed = result["structuredContent"]?["entitlements"]?.array ?? []
            #expect(
                listed.map { $0["entitlement"]?.string } == [
                    "com.example.a", "com.example.z", "zzz",
                ])
        }
    }

    @Test("A status states for each app whether outages are suspected, or were not looked for yet")
    func outages() {
        // given
        let window = OutageDetection.Suggestion(
            from: MadePurchase().start(0), to: MadePurchase().start(1),
            reasons: [.lateDeliveries, .silence])
        let checks = [nil, [], [window]].map { windows in
            windows.map { OutageRecord.Check(at: ServedPlace.now, windows: $0) }
        }
        let apps = zip(["app.a", "app.b", "app.c"], checks).map { name, check in
            IntakeStatus.App(
                bundleId: BundleId(name), lastNotificationAt: nil, lastEventAt: nil,
                lastEventPosition: nil, complete: nil, outages: check)
        }
        let counts = IntakeCounts(since: ServedPlace.now, outcomes: [])
        let status = IntakeStatus(
            environment: .production, at: ServedPlace.now, problems: ["logUnavailable"], head: 7,
            projectedPosition: 5, lagPositions: 2, lagMilliseconds: 0,
            clockJumpMilliseconds: nil, apps: apps, intake: counts, unassigned: counts,
            quarantine: [], files: IntakeStatus.FileSizes())
        // when
        let text = MCPText(origin: "", state: ViewState(environment: .production))
        let lines = text.text(status, of: nil, isServing: true)
        // then
        #expect(
            lines.prefix(2) == [
                "Intake does not work: logUnavailable.", "Answers include position 5 of 7.",
            ])
        let ends = [
            "; last notification unknown; outages not checked yet, ask again.",
            "; last notification unknown; no outage suspected.",
            "; last notification unknown; suspected outages: 2026-01-10T12:00:00.000Z"
                + " to 2026-02-09T12:00:00.000Z (lateDeliveries, silence).",
        ]
        for (line, end) in zip(lines.dropFirst(2), ends) { #expect(line.hasSuffix(end), "\(line)") }
        #expect(lines.count == 7 && lines[5] == "In quarantine: unknown.")
        #expect(text.text(status, of: BundleId("app.b"), isServing: true).count == 5)
    }
}
