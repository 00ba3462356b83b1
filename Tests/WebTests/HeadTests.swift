import LedgerService
import Testing

@testable import Web

/// Heads as they come over a connection, which no test client would send.
@Suite("Heads of requests")
struct HeadTests {
    @Test(
        "A word that is no UTF-8 is refused, and not kept with something else in its place",
        arguments: [
            ("X-Reason", "X-Actor: ann\r\n", "invalidReason"),
            ("X-Actor", "X-Reason: why\r\n", "invalidActor"),
            ("Idempotency-Key", "X-Actor: ann\r\nX-Reason: why\r\n", "invalidIdempotencyKey"),
        ])
    func latin(field: String, others: String, code: String) async throws {
        try await ServedPlace().serve(.live) { client, host in
            let port = try #require(client.client.port)
            let body = "{\"entitlement\":\"pro\"}"
            let head =
                "POST /v1/customers/ann/grants HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)"
                + "\r\n\(others)\(field): caf"
            // Latin-1 for é.
            let bytes = Array(head.utf8) + [0xE9] + Array("\r\n\r\n\(body)".utf8)
            try await StreamReader.open(port: port, bytes) { stream in
                #expect(await stream.wait(for: "\"code\":\"\(code)\""))
                #expect(stream.text.hasPrefix("HTTP/1.1 400 "))
            }
            #expect(try await host.ledger(.production).ledger.log.head().position == 0)
        }
    }
}
