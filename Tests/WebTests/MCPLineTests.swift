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
