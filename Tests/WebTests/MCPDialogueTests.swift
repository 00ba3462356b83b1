import AppStore
import Service
import Synchronization
import Testing

@testable import Web

/// Responses in the order in which they were written.
final class WrittenLines: Sendable {
    private let lines = Mutex<[[UInt8]]>([])

    func add(_ line: [UInt8]) { lines.withLock { $0.append(line) } }

    func responses() throws -> [JSONValue] {
        try lines.withLock { $0 }.map { try JSONValue.parse($0) }
    }
}

@Suite("The Model Context Protocol on standard input")
struct MCPDialogueTests {
    private static func message(_ id: Int, _ method: String, _ params: String = "{}") -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#.utf8)
    }

    private static func call(_ id: Int, _ arguments: String = #"{"text":"a"}"#) -> [UInt8] {
        message(id, "tools/call", #"{"name":"find","arguments":\#(arguments)}"#)
    }

    /// A call that waits for a position beyond the head, longer than any test.
    private static func waiting(_ id: Int) -> [UInt8] {
        call(id, #"{"text":"a","minPosition":1000}"#)
    }

    private static func cancellation(_ id: String) -> [UInt8] {
        let params = #"{"requestId":\#(id),"reason":"test"}"#
        return Array(
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":\#(params)}"#.utf8)
    }

    /// Lends a conversation about an empty ledger.
    private func converse(
        _ body: @escaping @Sendable (MCPDialogue, WrittenLines) async throws -> Void
    ) async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let written = WrittenLines()
            try await body(MCPDialogue(MCPServer(host: host)) { written.add($0) }, written)
        }
    }

    private static func ids(_ written: WrittenLines) throws -> [Int64?] {
        try written.responses().map { $0["id"]?.int64 }
    }

    @Test("A line that is no message gets an error, and ends nothing")
    func lines() async throws {
        try await converse { (dialogue: MCPDialogue, written: WrittenLines) async throws in
            let ping = MCPDialogueTests.message(7, "ping")
            let padding = MCPLimits.messageByteCount - ping.count
            let longest = ping + Array(repeating: UInt8(ascii: " "), count: padding)
            let lines: [([UInt8], Bool, String?)] = [
                (Array("{".utf8), false, "malformedJSON"),
                (Array("[]".utf8), false, "invalidBody"), (ping, true, "payloadTooLarge"),
                (longest + [UInt8(ascii: " ")], false, "payloadTooLarge"), (longest, false, nil),
            ]
            for line in lines { try await dialogue.take(line.0, isTooLong: line.1) }
            try await dialogue.finish()
            let responses = try written.responses()
            #expect(responses.map { $0["error"]?["data"]?["code"]?.string } == lines.map(\.2))
            #expect(responses.map { $0["id"]?.isNull == true } == lines.map { $0.2 != nil })
        }
    }

    @Test("The command does not say that intake works, which is the service's; the service does")
    func intake() async throws {
        let purchase = MadePurchase()
        try await ServedPlace().serve(renewed: purchase) { _, host in
            for isServing in [false, true] {
                let written = WrittenLines()
                let dialogue = MCPDialogue(MCPServer(host: host, isServing: isServing)) {
                    written.add($0)
                }
                let missing = MCPDialogueTests.message(1, "tools/call", #"{"name":"missing"}"#)
                try await dialogue.take(missing, isTooLong: false)
                try await dialogue.finish()
                let result = try written.responses().first?["result"]
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

    @Test("What is written nowhere ends the conversation")
    func closed() async throws {
        try await ServedPlace().serve { (_: WebClient, host: LedgerHost) async throws in
            let dialogue = MCPDialogue(MCPServer(host: host)) { _ in
                throw Problem.invalid("closed")
            }
            await #expect(throws: Problem.self) {
                try await dialogue.take(MCPDialogueTests.message(1, "ping"), isTooLong: false)
            }
            try await dialogue.take(MCPDialogueTests.call(2), isTooLong: false)
            await #expect(throws: Problem.self) { try await dialogue.finish() }
        }
    }

    @Test("A call that waits holds up no other message; cancelled, it gets no response")
    func concurrent() async throws {
        try await converse { (dialogue: MCPDialogue, written: WrittenLines) async throws in
            try await dialogue.take(MCPDialogueTests.waiting(1), isTooLong: false)
            try await dialogue.take(MCPDialogueTests.message(2, "ping"), isTooLong: false)
            #expect(try MCPDialogueTests.ids(written) == [2])
            try await dialogue.take(MCPDialogueTests.call(3), isTooLong: false)
            // None of these is the call that waits.
            for id in ["2", "9", #""1""#, "null"] {
                try await dialogue.take(MCPDialogueTests.cancellation(id), isTooLong: false)
            }
            try await dialogue.take(MCPDialogueTests.cancellation("1"), isTooLong: false)
            try await dialogue.finish()
            #expect(try MCPDialogueTests.ids(written) == [2, 3])
        }
    }

    @Test("So many calls wait at once as the bound says; one more waits for the end of another")
    func bound() async throws {
        try await converse { (dialogue: MCPDialogue, written: WrittenLines) async throws in
            let count = MCPLimits.openCallCount
            for id in 1...count {
                try await dialogue.take(MCPDialogueTests.waiting(id), isTooLong: false)
            }
            let open = await dialogue.openCallCount
            #expect(open == count)
            try await dialogue.take(MCPDialogueTests.message(100, "ping"), isTooLong: false)
            async let next: Void = dialogue.take(MCPDialogueTests.call(101), isTooLong: false)
            try await dialogue.take(MCPDialogueTests.cancellation("1"), isTooLong: false)
            try await next
            for id in 2...count {
                try await dialogue.take(MCPDialogueTests.cancellation("\(id)"), isTooLong: false)
            }
            try await dialogue.finish()
            #expect(try MCPDialogueTests.ids(written) == [100, 101])
        }
    }
}
