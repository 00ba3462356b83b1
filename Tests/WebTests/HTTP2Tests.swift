import AppStore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import Web

/// A client of HTTP/2 over TLS: every request is a stream of one connection.
@Suite("HTTP/2")
struct HTTP2Tests {
    private func withClient(
        _ place: ServedPlace, _ body: @escaping @Sendable (HTTPClient, String) async throws -> Void
    ) async throws {
        try await place.listen { port, _ in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            try await TLSPlace.withClient(tls) { try await body($0, "https://localhost:\(port)") }
        }
    }

    private static func ask(
        _ client: HTTPClient, _ url: String, _ body: HTTPClientRequest.Body? = nil
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url)
        request.method = body == nil ? .GET : .POST
        request.body = body
        return try await client.execute(request, timeout: .seconds(120))
    }

    @Test("A notification is accepted over HTTP/2")
    func taken() async throws {
        let body = try MadePurchase().notificationBody()
        try await withClient(TLSPlace.make()) { client, address in
            let answer = try await HTTP2Tests.ask(
                client, "\(address)/appstore/notifications", .bytes(body))
            #expect(answer.version == .http2)
            #expect(answer.status == .ok)
        }
    }

    @Test("A body that takes too long is a 408 of its own stream; the others continue")
    func slowBody() async throws {
        var place = try TLSPlace.make()
        place.limits.bodySeconds = 1
        // The other stream keeps sending.
        place.streams.heartbeat = .milliseconds(10)
        try await withClient(place) { client, address in
            let other = try await HTTP2Tests.ask(client, "\(address)/v1/changes")
            #expect(other.status == .ok)
            var words = other.body.makeAsyncIterator()
            _ = try await words.next()

            // One byte of a body that never ends.
            let (bytes, source) = AsyncStream.makeStream(of: ByteBuffer.self)
            source.yield(ByteBuffer(string: "{"))
            let slow = try await HTTP2Tests.ask(
                client, "\(address)/appstore/notifications", .stream(bytes, length: .unknown))
            #expect(slow.version == .http2)
            #expect(slow.status == .requestTimeout)
            let reported = try await slow.body.collect(upTo: 65_536)
            #expect(
                try JSONValue.parse(Array(reported.readableBytesView))["code"]?.string
                    == "requestTimeout")
            source.finish()

            for _ in 0..<3 { #expect(try await words.next() != nil) }
            let next = try await HTTP2Tests.ask(client, "\(address)/metrics")
            let text = String(buffer: try await next.body.collect(upTo: 1 << 20))
            #expect(text.contains("subledger_open_connections 1\n"))
        }
    }
}
