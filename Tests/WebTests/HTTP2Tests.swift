import AppStore
import AsyncHTTPClient
import Foundation
import LedgerService
import LedgerStore
import NIOCore
import NIOHTTP1
import NIOSSL
import Simulator
import Testing

@testable import Web

/// A client of HTTP/2 over TLS: every request is a stream of one connection.
@Suite("HTTP/2")
struct HTTP2Tests {
    /// A place under TLS, with a certificate of its own.
    private func place() throws -> ServedPlace {
        var place = try ServedPlace()
        let directory = place.directory.file("authority")
        _ = try Authority.kept(in: directory)
        let leaf = try Data(contentsOf: URL(filePath: "\(directory)/leaf.der"))
        let text = leaf.base64EncodedString(options: [.lineLength64Characters])
        let certificate = place.directory.file("tls.pem")
        try "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".write(
            toFile: certificate, atomically: true, encoding: .utf8)
        place.configuration.server.tls = Configuration.Server.TLS(
            certificateFile: certificate, privateKeyFile: "\(directory)/leaf.key")
        return place
    }

    private func withClient(
        _ place: ServedPlace,
        _ body: @escaping @Sendable (HTTPClient, String, LedgerHost) async throws -> Void
    ) async throws {
        try await place.listen { port, host in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton,
                configuration: HTTPClient.Configuration(tlsConfiguration: tls))
            let result = await Result { try await body(client, "https://localhost:\(port)", host) }
            try await client.shutdown()
            try result.get()
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

    @Test("A notification is taken over HTTP/2")
    func taken() async throws {
        let body = try MadePurchase().notificationBody()
        try await withClient(place()) { client, address, _ in
            let answer = try await HTTP2Tests.ask(
                client, "\(address)/appstore/notifications", .bytes(body))
            #expect(answer.version == .http2)
            #expect(answer.status == .ok)
        }
    }

    @Test("A body that takes too long is a 408 of its own stream; the others go on")
    func slowBody() async throws {
        var place = try place()
        place.limits.bodySeconds = 1
        // The other stream says something again and again.
        place.streams.heartbeat = .milliseconds(10)
        try await withClient(place) { client, address, _ in
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
            let told = try await slow.body.collect(upTo: 65_536)
            #expect(
                try JSONValue.parse(Array(told.readableBytesView))["code"]?.string
                    == "requestTimeout")
            source.finish()

            for _ in 0..<3 { #expect(try await words.next() != nil) }
            let next = try await HTTP2Tests.ask(client, "\(address)/metrics")
            let text = String(buffer: try await next.body.collect(upTo: 1 << 20))
            #expect(text.contains("subledger_open_connections 1\n"))
        }
    }
}

extension Result where Failure == any Error {
    /// What `body` comes to, so that there is time to close what it used.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
