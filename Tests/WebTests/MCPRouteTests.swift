import AppStore
import Faults
import HTTPTypes
import LedgerStore
import Service
import Testing

@testable import Web

@Suite("The Model Context Protocol over HTTP")
struct MCPRouteTests {
    static func message(_ method: String, _ params: String = "{}") -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(params)}"#.utf8)
    }

    /// The result of a call.
    static func call(
        _ client: WebClient, _ tool: String, _ arguments: String
    ) async throws -> JSONValue {
        let answer = try await client.post(
            "/mcp", message("tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#))
        #expect(answer.status == 200)
        #expect(answer.json["id"]?.int64 == 7)
        return answer.json["result"] ?? .null
    }

    static func text(_ result: JSONValue) -> String {
        result["content"]?.array?.first?["text"]?.string ?? ""
    }

    // MARK: Messages

    @Test("What is no message is refused, as are a batch, a parameter and a byte past the bound")
    func refused() async throws {
        let cases = [
            ("", "malformedJSON"), ("{", "malformedJSON"), (#"{"a":1,"a":1}"#, "malformedJSON"),
            ("[]", "invalidBody"), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "invalidBody"),
            (#"{"id":1,"method":"ping"}"#, "invalidBody"), ("7", "invalidBody"),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "invalidBody"),
            (#"{"jsonrpc":"2.0"}"#, "invalidBody"),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, "invalidBody"),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "invalidBody"),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "invalidBody"),
            (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "invalidBody"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (body, code) in cases {
                let answer = try await client.post("/mcp", Array(body.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(body)")
            }
            let asked = try await client.post("/mcp?x=1", MCPRouteTests.message("ping"))
            #expect(asked.status == 400 && asked.code == "unknownParameter")
            #expect(asked.json["detail"]?.string == "It takes no parameters.")
            let ping = MCPRouteTests.message("ping")
            let padding = MCPLimits.messageByteCount - ping.count
            let longest = ping + Array(repeating: UInt8(ascii: " "), count: padding)
            let accepted = try await client.post("/mcp", longest)
            #expect(accepted.status == 200)
            let answer = try await client.post("/mcp", longest + [UInt8(ascii: " ")])
            #expect(answer.status == 413 && answer.code == "payloadTooLarge")
        }
    }

    @Test("Other methods, tools and revisions are refused: nothing writes")
    func unknown() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (method, params, number, code) in [
                ("resources/list", "{}", -32_601, "unknownMethod"),
                ("server/discover", "{}", -32_601, "unknownMethod"),
                ("tools/call", "{}", -32_602, "invalidParameter"),
                ("tools/call", #"{"name":"grant"}"#, -32_602, "unknownTool"),
                ("tools/call", #"{"name":"erase","arguments":{}}"#, -32_602, "unknownTool"),
            ] as [(String, String, Int64, String)] {
                let answer = try await client.post("/mcp", MCPRouteTests.message(method, params))
                #expect(answer.status == 200)
                #expect(answer.json["error"]?["code"]?.int64 == number, "\(method)")
                #expect(answer.json["error"]?["data"]?["code"]?.string == code, "\(method)")
            }
            for method in [HTTPRequest.Method.get, .delete, .put] {
                let answer = try await client.send(method, "/mcp")
                #expect(answer.status == 405 && answer.headers[.allow] == "POST")
            }
            for (revision, status) in [("2024-11-05", 400), ("2025-03-26", 200)] {
                let answer = try await client.post(
                    "/mcp", MCPRouteTests.message("ping"),
                    [.contentType: "application/json", .mcpProtocolVersion: revision])
                #expect(answer.status == status && (answer.code == "badRequest") == (status == 400))
            }
        }
    }

    @Test("The revision is negotiated; notifications and responses get no response")
    func handshake() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (asked, given) in [
                ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
                ("2024-11-05", "2025-11-25"), ("2999-01-01", "2025-11-25"),
            ] {
                let answer = try await client.post(
                    "/mcp",
                    MCPRouteTests.message("initialize", #"{"protocolVersion":"\#(asked)"}"#))
                let result = answer.json["result"]
                #expect(result?["protocolVersion"]?.string == given)
                #expect(result?["serverInfo"]?["name"]?.string == "subledger")
                #expect(result?["capabilities"]?.object?.map(\.key) == ["tools"])
            }
            for body in [
                #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                #"{"jsonrpc":"2.0","method":"none"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            ] {
                let answer = try await client.post("/mcp", Array(body.utf8))
                #expect(answer.status == 202)
                #expect(answer.bytes.isEmpty)
            }
            let ping = try await client.post("/mcp", MCPRouteTests.message("ping"))
            #expect(ping.json["result"]?.object?.isEmpty == true)
            let list = try await client.post("/mcp", MCPRouteTests.message("tools/list"))
            let tools = list.json["result"]?["tools"]?.array ?? []
            #expect(tools.map { $0["name"]?.string } == MCPTool.allCases.map(\.rawValue))
            for tool in tools {
                #expect(tool["annotations"]?["readOnlyHint"]?.bool == true)
                #expect(tool["inputSchema"]?["type"]?.string == "object")
            }
            // diff takes two positions, which are no number.
            let metrics = tools.first { $0["name"]?.string == "metrics" }
            let position = metrics?["inputSchema"]?["properties"]?["knownPosition"]
            #expect(position?["type"]?.string == "string")
        }
    }

    // MARK: Calls

    @Test("A refused call is a result with the code that HTTP has")
    func refusedCall() async throws {
        let cases = [
            ("find", "{}", "invalidParameter"), ("find", "[]", "invalidParameter"),
            ("find", #"{"text":["a"]}"#, "invalidParameter"),
            ("find", #"{"text":"a","at":"0"}"#, "unknownParameter"),
            ("access", "{}", "invalidParameter"),
            ("access", #"{"customer":"a","subscription":"1"}"#, "invalidParameter"),
            ("access", #"{"subscription":""}"#, "invalidParameter"),
            ("access", #"{"subscription":"1"}"#, "noSuchSubscription"),
            ("access", #"{"subscription":"1","at":"soon"}"#, "invalidTime"),
            ("access", #"{"subscription":"1","environment":"live"}"#, "unknownEnvironment"),
            ("access", #"{"subscription":"1","environment":"xcode"}"#, "environmentNotServed"),
            ("timeline", #"{"customer":"a","after":"x"}"#, "invalidCursor"),
            ("timeline", #"{"customer":"a","order":"up"}"#, "invalidParameter"),
            ("metrics", #"{"name":"none"}"#, "unknownMetric"),
            ("metrics", #"{"name":"mrr","paid":true}"#, "invalidParameter"),
            ("metrics", #"{"from":"2026-01-01","by":"colour"}"#, "unknownDimension"),
            ("metrics", #"{"from":"2025-01-01","interval":"day"}"#, "answerTooLarge"),
            ("metrics", #"{"rates":"USD,EUR:1.1"}"#, "invalidParameter"),
            ("metrics", #"{"paid":true,"definitions":"stripe"}"#, "comparedWhole"),
            ("metrics", #"{"name":"retention-offers"}"#, "invalidTime"),
            ("metrics", #"{"name":"retention-offers","from":"0","by":"rule"}"#, "unknownParameter"),
            ("metrics", #"{"name":"diff"}"#, "invalidParameter"),
            ("chains", #"{"from":"2026-01-01"}"#, "unknownColumn"),
            ("chains", #"{"column":"new"}"#, "invalidTime"),
            ("chains", #"{"column":"new","from":"2026-01-01","limit":51}"#, "invalidParameter"),
            ("chains", #"{"column":"new","from":"2026","order":"up"}"#, "unknownParameter"),
            (
                "chains", #"{"name":"mrr","column":"new","from":"2026-01-01","paid":true}"#,
                "invalidParameter"
            ),
            ("missing", #"{"limit":1}"#, "unknownParameter"),
            ("evidence", "{}", "invalidParameter"),
            ("evidence", #"{"position":0}"#, "invalidParameter"),
            ("evidence", #"{"position":1}"#, "noSuchEvent"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (tool, arguments, code) in cases {
                let result = try await MCPRouteTests.call(client, tool, arguments)
                #expect(result["isError"]?.bool == true, "\(arguments)")
                #expect(result["structuredContent"]?["code"]?.string == code, "\(arguments)")
                #expect(MCPRouteTests.text(result).hasPrefix("\(code): "), "\(arguments)")
            }
        }
    }

    @Test("Arguments, pages, reports and results have bounds")
    func bounds() async throws {
        #expect(MCPLimits.problem(rowCount: MCPLimits.rowCount) == nil)
        #expect(MCPLimits.problem(rowCount: MCPLimits.rowCount + 1)?.code == "answerTooLarge")
        #expect(MCPLimits.problem(resultByteCount: MCPLimits.resultByteCount) == nil)
        let long = MCPLimits.problem(resultByteCount: MCPLimits.resultByteCount + 1)
        #expect(long?.code == "answerTooLarge")
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for beyond in [0, 1] {
                let limit = MCPLimits.entryCount + beyond
                let result = try await MCPRouteTests.call(
                    client, "timeline", #"{"customer":"a","limit":\#(limit)}"#)
                #expect(result["isError"]?.bool == (beyond > 0))
            }
            for (count, code) in [
                (MCPLimits.argumentByteCount, "invalidFilter"),
                (MCPLimits.argumentByteCount + 1, "invalidParameter"),
            ] {
                let text = String(repeating: "x", count: count)
                let result = try await MCPRouteTests.call(
                    client, "metrics", #"{"from":"2026-01-01","where":"\#(text)"}"#)
                #expect(result["structuredContent"]?["code"]?.string == code)
            }
        }
    }

    @Test("An answer has the JSON of HTTP, and a text with positions and addresses")
    func answers() async throws {
        let purchase = MadePurchase()
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let place = "/console/production"
            for (tool, arguments, path, texts) in [
                (
                    "find", #"{"text":"\#(purchase.id)"}"#, "/v1/search?q=\(purchase.id)",
                    ["subscription \(purchase.id)", "\(place)/subscriptions/\(purchase.id)"]
                ),
                (
                    "access", #"{"subscription":"\#(purchase.id)"}"#,
                    "/v1/subscriptions/\(purchase.id)",
                    ["Decided by event", "log position 2", "\(place)/subscriptions/\(purchase.id)"]
                ),
                (
                    "timeline", #"{"subscription":"\#(purchase.id)","limit":1}"#,
                    "/v1/subscriptions/\(purchase.id)/timeline?order=newest&limit=1",
                    ["event", "repeat with after "]
                ),
                (
                    "metrics", #"{"from":"2026-01-01","interval":"month","by":"product"}"#,
                    "/v1/metrics/churn?from=2026-01-01&interval=month&by=product",
                    ["computed at position 2", "\(place)/reports/churn?from=2026-01-01"]
                ),
                (
                    "evidence", #"{"position":2}"#, "/v1/events/2",
                    ["Event 2: DID_RENEW", "Apple's signature", "\(place)/events/2"]
                ),
            ] as [(String, String, String, [String])] {
                let result = try await MCPRouteTests.call(client, tool, arguments)
                #expect(result["isError"]?.bool == false, "\(tool)")
                let direct = try await client.get(path)
                #expect(result["structuredContent"] == direct.json, "\(tool)")
                for text in texts {
                    #expect(MCPRouteTests.text(result).contains(text), "\(tool): \(text)")
                }
            }
            let status = try await MCPRouteTests.call(client, "missing", "{}")
            #expect(status["structuredContent"]?["ready"]?.bool == true)
            #expect(MCPRouteTests.text(status).contains("completeness not confirmed"))
        }
    }

    @Test("What fails for now is a refusal that says when to call again")
    func later() async throws {
        let fault = StoreError(.databaseUnavailable, reason: "Away.", remedy: "")
        let answer = MCPAnswer(Problem(fault))
        let structured = try JSONValue.parse(answer.structured)
        #expect(structured["code"]?.string == "databaseUnavailable")
        #expect(structured["retryAfterSeconds"]?.int64 == Int64(Problem.failureRetrySeconds))
        #expect(answer.text.hasSuffix("Call again after \(Problem.failureRetrySeconds) s."))
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let behind = try await MCPRouteTests.call(
                client, "find", #"{"text":"a","minPosition":1000}"#)
            #expect(behind["isError"]?.bool == true)
            let said = behind["structuredContent"]
            #expect(said?["code"]?.string == "projectionBehind")
            #expect(said?["retryAfterSeconds"]?.int64 == Int64(Problem.behindRetrySeconds))
            #expect(said?["position"]?.int64 == 0)
        }
        let lasting = try JSONValue.parse(MCPAnswer(Problem.invalid("x")).structured)
        #expect(lasting["retryAfterSeconds"] == nil)
    }

    @Test("Without room for large responses, every call but that of evidence is answered")
    func shares() async throws {
        let place = try ServedPlace()
        let making = ResponseMemoryBudget.makingByteCount
        let count =
            (ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount) / making
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let large = try (0..<count).map { _ in try #require(place.answers.take(making)) }
            let ping = try await client.post("/mcp", MCPRouteTests.message("ping"))
            #expect(ping.status == 200)
            let found = try await MCPRouteTests.call(client, "find", #"{"text":"a"}"#)
            #expect(found["isError"]?.bool == false)
            let evidence = try await client.post(
                "/mcp",
                MCPRouteTests.message(
                    "tools/call", #"{"name":"evidence","arguments":{"position":1}}"#))
            #expect(evidence.status == 503 && evidence.code == "busy")
            withExtendedLifetime(large) {}
        }
    }

    @Test("A text from outside adds no line to an answer")
    func oneLine() {
        let answer = MCPAnswer(["Customer a\r\nDecided by event 9.", "b"]) { json in
            json.object { _ in }
        }
        #expect(answer.text == "Customer a\\u000D\\u000ADecided by event 9.\nb")
    }

    @Test("A fault of the files is that of any route, not an answer")
    func fault() async throws {
        let place = try ServedPlace()
        let path = "\(place.directory(of: .production))/log.sqlite"
        try await place.serve(renewed: MadePurchase()) { client, host in
            // Throws where the service keeps the change in the WAL, after it was made.
            try? LogTampering(path: path).run(
                "ALTER TABLE evidence RENAME TO gone; CREATE TABLE evidence (x)")
            let direct = try await client.get("/v1/events/2")
            #expect(direct.status == 500)
            let call = MCPRouteTests.message(
                "tools/call", #"{"name":"evidence","arguments":{"position":2}}"#)
            let answer = try await client.post("/mcp", call)
            #expect(answer.status == 500 && answer.code == direct.code)
            let written = try #require(
                await MCPServer(host: host).response(toLine: call, isTooLong: false))
            let response = try JSONValue.parse(written)
            #expect(response["id"]?.int64 == 7)
            #expect(response["error"]?["code"]?.int64 == -32_603)
            #expect(response["error"]?["data"]?["code"]?.string == direct.code)
        }
    }

    @Test(
        "A customer's access is explained with its events, which open with the app that was asked")
    func customer() async throws {
        let id = "0b0b0b0b-0000-4000-8000-00000000002a"
        var made = MadePurchase()
        made.appAccountToken = id
        let purchase = made
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let unknown = try await MCPRouteTests.call(client, "access", #"{"customer":"none"}"#)
            #expect(MCPRouteTests.text(unknown).contains("There is no purchase and no grant"))
            let at = "2026-02-20T00:00:00.000Z"
            let arguments = #"{"customer":"\#(id)","at":"\#(at)"}"#
            let access = try await MCPRouteTests.call(client, "access", arguments)
            let direct = try await client.get("/v1/customers/\(id)/entitlements?at=\(at)")
            #expect(access["structuredContent"]?["entitlements"] == direct.json["entitlements"])
            let text = MCPRouteTests.text(access)
            #expect(text.contains("the subscription is paid and renews by itself"))
            #expect(text.contains("/console/production/customers/\(id)?at="))
            let timeline = try await MCPRouteTests.call(client, "timeline", arguments)
            #expect(MCPRouteTests.text(timeline).contains("subscription \(purchase.id)"))
            #expect(timeline["structuredContent"]?["customer"]?.string == id)
            // What an answer of one app cites, and its page, open with that app.
            let grant = #"{"entitlement":"gold","until":"2030-01-31T00:00:00.000Z"}"#
            let granted = try await client.post(
                "/v1/customers/\(id)/grants", Array(grant.utf8), .decision())
            #expect(granted.status == 200)
            let app = #""bundleId":"\#(MadePurchase.app)""#
            let own = try await MCPRouteTests.call(
                client, "access", #"{"customer":"\#(id)",\#(app),"minPosition":3}"#)
            let said = MCPRouteTests.text(own)
            #expect(
                said.contains("/console/production/customers/\(id)?bundleId=\(MadePurchase.app)"))
            #expect(said.contains("Decided by event 3"))
            let cited = (own["structuredContent"]?["entitlements"]?.array ?? []).flatMap {
                $0["evidence"]?.array?.compactMap(\.int64) ?? []
            }
            #expect(cited.contains(3) && Set(cited).count > 1)
            for position in Set(cited) {
                let event = try await MCPRouteTests.call(
                    client, "evidence", #"{"position":\#(position),\#(app)}"#)
                #expect(event["isError"]?.bool == false, "\(position)")
            }
            let other = try await MCPRouteTests.call(
                client, "evidence", #"{"position":1,"bundleId":"com.example.other"}"#)
            #expect(other["structuredContent"]?["code"]?.string == "noSuchEvent")
        }
    }
}
