import AppStore
import Foundation
import HummingbirdTesting
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

/// Heads sent as raw bytes, which no test client would send.
@Suite("Heads of requests")
struct HeadTests {
    @Test("A header that is not UTF-8 is refused, not stored with replacement characters")
    func latin() async throws {
        try await ServedPlace.single().serve(.live) { client, host in
            let port = try #require(client.client.port)
            for (field, others, code) in [
                ("X-Reason", "X-Actor: ann\r\n", "invalidReason"),
                ("X-Actor", "X-Reason: why\r\n", "invalidActor"),
                ("Idempotency-Key", "X-Actor: ann\r\nX-Reason: why\r\n", "invalidIdempotencyKey"),
            ] {
                let head =
                    "PUT /v1/customers/ann/subscriptions/1 HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: 0\r\n\(others)\(field): caf"
                // Latin-1 for é.
                let bytes = Array(head.utf8) + [0xE9] + Array("\r\n\r\n".utf8)
                try await StreamReader.open(port: port, bytes) { stream in
                    #expect(await stream.wait(for: "\"code\":\"\(code)\""), "\(stream.text)")
                    #expect(stream.text.hasPrefix("HTTP/1.1 400 "))
                }
                #expect(try await host.end() == 0)
            }
        }
    }

    /// Sends each of these texts, and passes its connection to `body`.
    private func connect(
        _ texts: [String], _ body: @escaping @Sendable (StreamReader) async throws -> Void
    ) async throws {
        try await ServedPlace.single().serve(.live) { client, _ in
            let port = try #require(client.client.port)
            for text in texts { try await StreamReader.open(port: port, Array(text.utf8), body) }
        }
    }

    private func connect(
        _ text: String, _ body: @escaping @Sendable (StreamReader) async throws -> Void
    ) async throws {
        try await connect([text], body)
    }

    @Test("A request of HTTP/1.1 names one Host, which may be empty, otherwise it is a 400")
    func host() async throws {
        let heads = ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"].map {
            "GET /healthz HTTP/1.1\r\n\($0)\r\n"
        }
        try await answer(["GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"], refusing: heads)
    }

    @Test("A target in absolute form has the same host as Host, otherwise it is a 400")
    func absolute() async throws {
        func heads(_ targets: [(String, String)]) -> [String] {
            targets.map { "GET \($0) HTTP/1.1\r\nHost: \($1)\r\n\r\n" }
        }
        try await answer(
            heads([
                ("http://localhost/healthz", "localhost"),
                ("http://LOCALHOST:80/healthz", "localhost:80"),
            ]),
            refusing: heads([
                ("http://a.example/healthz", "localhost"),
                ("http://localhost:81/healthz", "localhost"),
                ("http://localhost@a.example/healthz", "localhost"),
                ("http://localhost.a.example/healthz", "localhost"),
                ("http://a.example?x=://localhost/healthz", "localhost"),
                ("http://a.example/healthz", ""),
            ]))
    }

    /// Expects that the first texts are answered, and the others a 400.
    private func answer(_ texts: [String], refusing others: [String]) async throws {
        try await ServedPlace.single().serve(.live) { client, _ in
            let port = try #require(client.client.port)
            for text in texts + others {
                let isTaken = texts.contains(text)
                let wanted = isTaken ? "HTTP/1.1 200 " : "\"code\":\"badRequest\""
                try await StreamReader.open(port: port, Array(text.utf8)) { stream in
                    #expect(await stream.wait(for: wanted), "\(text)")
                    #expect(stream.text.hasPrefix("HTTP/1.1 \(isTaken ? 200 : 400) "), "\(text)")
                }
            }
        }
    }

    @Test("HTTP/1.0 is answered, with or without Host, and its connection closed")
    func old() async throws {
        let next = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
        let requests = ["", "Host: a\r\n", "Connection: keep-alive\r\n"].map {
            "GET /healthz HTTP/1.0\r\n\($0)\r\n\(next)"
        }
        try await connect(requests) { stream in
            await stream.waitForEnd()
            #expect(stream.text.hasPrefix("HTTP/1.0 200 "))
            #expect(stream.text.hasSuffix("{\"status\":\"ok\",\"problems\":[]}"))
        }
    }

    @Test("An endless response has no chunks for HTTP/1.0")
    func oldStream() async throws {
        try await connect("GET /v1/changes HTTP/1.0\r\n\r\n") { stream in
            #expect(await stream.wait(for: "\r\n\r\nretry: "))
            #expect(!stream.text.lowercased().contains("transfer-encoding"))
        }
    }

    @Test("Connection: close is honoured after the response, in any spelling")
    func close() async throws {
        let request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n"
        try await connect(request + request) { stream in
            await stream.waitForEnd()
            #expect(stream.text.components(separatedBy: "HTTP/1.1 200 ").count == 2)
            #expect(stream.text.lowercased().contains("\r\nconnection: close\r\n"))
        }
    }

    @Test("A request for another protocol is answered, and its connection is closed")
    func upgrade() async throws {
        let requests = [
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: upgrade, HTTP2-Settings\r\n"
                + "Upgrade: websocket\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
        ]
        try await connect(requests.map { $0 + $0 }) { stream in
            await stream.waitForEnd()
            #expect(stream.text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(stream.text.lowercased().contains("\r\nconnection: close\r\n"))
        }
    }

    @Test("A head has at most 64 fields; one more ends the connection")
    func fields() async throws {
        try await expectBound { past in
            String(repeating: "X: x\r\n", count: ConnectionLimits().headFieldCount - 2 + past)
        }
    }

    @Test("A head has at most 16 KiB; one byte more ends the connection")
    func length() async throws {
        // What counts: the target, names and values.
        let others = "/healthzHostaConnectioncloseX".utf8.count
        try await expectBound { past in
            let count = ConnectionLimits().headByteCount - others + past
            return "X: \(String(repeating: "x", count: count))\r\n"
        }
    }

    private func expectBound(_ lines: (_ past: Int) -> String) async throws {
        let heads = [0, 1].map { past in
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(lines(past))\r\n"
        }
        try await ServedPlace.single().serve(.live) { client, _ in
            let port = try #require(client.client.port)
            for (head, status) in zip(heads, [200, 400]) {
                try await StreamReader.open(port: port, Array(head.utf8)) { stream in
                    await stream.waitForEnd()
                    #expect(stream.text.hasPrefix("HTTP/1.1 \(status) "))
                }
            }
        }
    }

    private static let expecting =
        "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n"

    @Test("A client that sends Expect gets 100 Continue before the body, and then the response")
    func expectation() async throws {
        let body = String(decoding: try MadePurchase().notificationBody(), as: UTF8.self)
        let head = "Content-Length: \(body.utf8.count)\r\n\r\n"
        try await connect(HeadTests.expecting + head) { stream in
            #expect(await stream.wait(for: "HTTP/1.1 100 Continue\r\n\r\n"))
            #expect(!stream.text.contains(" 200 "))
            try await stream.send(body)
            #expect(await stream.wait(for: "HTTP/1.1 200 "))
        }
    }

    @Test("A client that announces a body over every limit is refused before sending it")
    func expectationTooLarge() async throws {
        let head = "Content-Length: \(HTTP1Rules.largestByteCount + 1)\r\n\r\n"
        try await connect(HeadTests.expecting + head) { stream in
            #expect(await stream.wait(for: "\"code\":\"payloadTooLarge\""))
            #expect(stream.text.hasPrefix("HTTP/1.1 413 "))
        }
    }
}
