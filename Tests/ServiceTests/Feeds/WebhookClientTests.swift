import AppStore
import AppStoreAPI
import Foundation
import Ledger
import NIOCore
import Queries
import SQLiteStore
import Signing
import Synchronization
import TestSupport
import Testing

@testable import Service

/// The transport against a real server.
@Suite("Posting webhooks")
struct WebhookClientTests {
    static let key = [UInt8](1...32)
    static let secretText = "whsec_" + String(decoding: Base64.standard.encode(key), as: UTF8.self)

    /// Of endpoints that are not in it.
    private static let operations = Task {
        try await OperationsStore.open(directory: TemporaryDirectory.shared().path)
    }

    /// Posts one test message to a receiver.
    func post(
        _ address: String, timeoutMilliseconds: Int64 = WebhookLimits.timeoutMilliseconds
    ) async throws -> WebhookOutcome {
        let secret = try #require(WebhookSecret(text: Self.secretText))
        let endpoint = WebhookEndpoint(
            name: "books", url: address, environment: .production, filter: ChangeFilter(),
            secret: secret)
        let client = HTTPTransport.toReceivers(timeoutMilliseconds: timeoutMilliseconds)
        let outcome = try await WebhookSender(
            endpoint: endpoint, transport: client, clock: SystemClock()
        ).test(Self.operations.value)
        await client.close()
        return outcome
    }

    @Test("a receiver can verify what it gets")
    func verifies() async throws {
        try await LocalReceiver.open { receiver, address in
            let outcome = try await post(address + "/hooks?tenant=1")
            #expect(outcome.isSuccess)
            let request = try #require(receiver.requests.first)
            #expect(request.path == "/hooks?tenant=1")
            let id = try #require(request.headers["webhook-id"])
            let timestamp = try #require(request.headers["webhook-timestamp"])
            let seconds = try #require(Double(timestamp))
            #expect(abs(seconds - Date.now.timeIntervalSince1970) < 600)
            #expect(request.headers["content-type"] == "application/json")
            let code = HMACSHA256.code(
                [Array("\(id).\(timestamp).".utf8), request.body], key: Self.key)
            let expected =
                "v1," + String(decoding: Base64.standard.encode(code.bytes), as: UTF8.self)
            #expect(request.headers["webhook-signature"] == expected)
            #expect(try JSONValue.parse(request.body)["type"]?.string == "test")
        }
    }

    @Test(
        "a response is its status, and a redirect is not followed",
        arguments: [204, 301, 307, 410, 503])
    func statuses(_ status: Int) async throws {
        try await LocalReceiver.open(
            answering: .status(status, headers: [("location", "/elsewhere")])
        ) { receiver, address in
            let outcome = try await post(address)
            #expect(outcome == .answered(status: status))
            #expect(receiver.requests.count == 1)
        }
    }

    @Test("a receiver that never responds times out")
    func silence() async throws {
        try await LocalReceiver.open(answering: .silence) { receiver, address in
            let outcome = try await post(address, timeoutMilliseconds: 2_000)
            #expect(outcome == .timedOut)
            #expect(receiver.requests.count == 1)
        }
    }

    @Test("a receiver that closes the connection, or does not exist, is unreachable")
    func unreachable() async throws {
        try await LocalReceiver.open(answering: .hangUp) { receiver, address in
            let outcome = try await post(address)
            #expect(outcome == .unreachable)
            // Twice where it broke at once.
            #expect(Set(receiver.requests.map { $0.headers["webhook-id"] }).count == 1)
        }
        // Port 1 is unused; a port released a moment ago may be in use again.
        let outcome = try await post("http://127.0.0.1:1/hooks")
        #expect(outcome == .unreachable)
    }

    @Test(
        "A message whose connection broke is sent once more, no other",
        arguments: [
            ([.disconnected], .answered(status: 200), 2),
            ([.disconnected, .timedOut], .timedOut, 2),
            ([.disconnected, .disconnected], .unreachable, 2),
            ([.timedOut], .timedOut, 1), ([.notConnected], .unreachable, 1),
            ([.connectTimedOut], .timedOut, 1),
            ([.tlsFailed(reason: "x")], .tlsFailed(reason: "x"), 1),
        ] as [([TransportFailure], WebhookOutcome, Int)])
    func broken(_ failures: [TransportFailure], _ outcome: WebhookOutcome, _ count: Int) async {
        let transport = Failing(failures)
        let request = TransportRequest(method: "POST", url: "https://example.com", headers: [])
        let found = await WebhookOutcome(
            of: request, over: transport, brokenAtOnce: .seconds(3_600))
        #expect(found == outcome)
        #expect(transport.count == count)
        let late = Failing([.disconnected])
        #expect(
            await WebhookOutcome(of: request, over: late, brokenAtOnce: .zero) == .unreachable)
        #expect(late.count == 1)
    }

    /// Fails as listed, then answers 200.
    private final class Failing: APITransport {
        private let failures: [TransportFailure]
        private let sent = Mutex(0)

        init(_ failures: [TransportFailure]) { self.failures = failures }

        var count: Int { sent.withLock { $0 } }

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            let index = sent.withLock { sent in
                sent += 1
                return sent - 1
            }
            if index < failures.count { throw failures[index] }
            return TransportResponse(status: 200)
        }
    }

    @Test("a response may be long, and is not read to its end")
    func longAnswer() async throws {
        let count = WebhookLimits.answerByteCount * 40
        try await LocalReceiver.open(answering: .status(200, bodyByteCount: count)) { _, address in
            let outcome = try await post(address)
            #expect(outcome.isSuccess)
        }
    }

    @Test("A body without end ends the attempt; what is discarded does not change the outcome")
    func drip() async throws {
        try await LocalReceiver.open(answering: .drip) { _, address in
            let outcome = try await post(address, timeoutMilliseconds: 2_000)
            #expect(outcome == .answered(status: 200))
            let transport = HTTPTransport(timeoutMilliseconds: 300)
            let request = TransportRequest(method: "GET", url: address, headers: [])
            await #expect(throws: TransportFailure.timedOut) { try await transport.send(request) }
            await transport.close()
        }
    }

    @Test("plain HTTP where TLS is expected is no TLS, not delivered")
    func noTLS() async throws {
        try await LocalReceiver.open { receiver, address in
            let secure = address.replacingOccurrences(of: "http:", with: "https:")
            let outcome = try await post(secure)
            #expect(outcome.text == "tlsFailed")
            #expect(receiver.requests.isEmpty)
        }
    }
}
