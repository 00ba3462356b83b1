import AppStore
import Service
import Testing

@testable import Web

@Suite("The Model Context Protocol on standard input")
struct MCPLineTests {
    private static func message(_ id: Int, _ method: String, _ params: String = "{}") -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#.utf8)
    }

    @Test("A line that is no message gets an error, and ends nothing")
    func lines() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let server = MCPServer(host: host)
            let ping = MCPLineTests.message(7, "ping")
            let padding = MCPLimits.messageByteCount - ping.count
            let longest = ping + Array(repeating: UInt8(ascii: " "), count: padding)
            let lines: [([UInt8], Bool, String?)] = [
                (Array("{".utf8), false, "malformedJSON"),
                (Array("[]".utf8), false, "invalidBody"), (ping, true, "payloadTooLarge"),
                (longest + [UInt8(ascii: " ")], false, "payloadTooLarge"), (longest, false, nil),
            ]
            for (line, isTooLong, code) in lines {
                let written = try #require(
                    await server.response(toLine: line, isTooLong: isTooLong))
                let response = try JSONValue.parse(written)
                #expect(response["error"]?["data"]?["code"]?.string == code)
                #expect((response["id"]?.isNull == true) == (code != nil))
            }
        }
    }

    @Test("An event whose evidence is longer than a result may be is a refusal")
    func longEvidence() async throws {
        // given
        var transaction = MadePurchase().transaction(0)
        transaction.deviceVerification = String(repeating: "x", count: 100_000)
        let upload = try MadePurchase.upload(transaction)
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
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
        try await ServedPlace().serve(renewed: purchase) { _, host in
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
}
