import AppStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Service
import Testing

@testable import Web

/// Responses to HEAD on a persistent connection (RFC 9110 §9.3.2): whatever follows a head is the
/// next response.
@Suite("Responses to HEAD")
struct HeadAnswerTests {
    /// A path whose HEAD is refused, with the response to its GET.
    private struct Refused: Sendable {
        let path: String
        let status: Int
        var isGuarded = false
    }

    private static let refusals = [
        Refused(path: "/v1/none", status: 404),
        Refused(path: "/v1/subscriptions/1", status: 404),
        Refused(path: "/v1/subscriptions/1?at=x", status: 400),
        Refused(path: "/v1/transactions", status: 405),
        Refused(path: "/appstore/notifications", status: 405),
        Refused(path: "/v1/events", status: 401, isGuarded: true),
        Refused(path: "/v1/none", status: 401, isGuarded: true),
    ]

    private static func serve(
        _ isGuarded: Bool,
        _ body: @escaping @Sendable (WebClient, Int) async throws -> Void
    ) async throws {
        var place = try ServedPlace.single()
        if isGuarded { place.configuration.server.tokens = [.init("one", [.read])] }
        try await place.serve(.live) { client, _ in
            try await body(client, try #require(client.client.port))
        }
    }

    @Test(
        "A refused HEAD has the head of its GET and no body: the next response is in step",
        arguments: [false, true])
    func inStep(isGuarded: Bool) async throws {
        try await HeadAnswerTests.serve(isGuarded) { client, port in
            for refused in HeadAnswerTests.refusals where refused.isGuarded == isGuarded {
                let get = try await client.get(refused.path)
                #expect(get.status == refused.status)
                let requests =
                    "HEAD \(refused.path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                let text = try await StreamReader.open(port: port, Array(requests.utf8)) {
                    await $0.waitForEnd()
                    return $0.text
                }
                // Two heads, and the body of the second.
                let parts = text.components(separatedBy: "\r\n\r\n")
                try #require(parts.count == 3, "\(refused.path): \(text)")
                #expect(parts[0].hasPrefix("HTTP/1.1 \(refused.status) "), "\(refused.path)")
                #expect(
                    parts[0].lowercased().contains("\r\ncontent-length: \(get.bytes.count)"),
                    "\(refused.path)")
                #expect(parts[1].hasPrefix("HTTP/1.1 200 "), "\(refused.path)")
                #expect(parts[2] == "{\"status\":\"ok\",\"problems\":[]}", "\(refused.path)")
            }
        }
    }
}
