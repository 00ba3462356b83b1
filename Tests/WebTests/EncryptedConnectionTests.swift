import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import AppStoreAPI
@testable import Service
@testable import Web

/// HTTP/1.1 over TLS.
@Suite("Encrypted connections")
struct EncryptedConnectionTests {
    @Test("A client that prefers HTTP/2 gets HTTP/1.1, and its notification is accepted")
    func negotiated() async throws {
        let place = try TLSPlace.make()
        let files = try #require(place.configuration.server.tls)
        #expect(try CertificateStore(files).configuration.applicationProtocols == ["http/1.1"])
        let body = try MadePurchase().notificationBody()
        try await place.listen { port, _ in
            try await TLSPlace.withClient(TLSPlace.clientConfiguration) { client in
                var request = HTTPClientRequest(
                    url: "https://localhost:\(port)/appstore/notifications")
                request.method = .POST
                request.body = .bytes(body)
                let answer = try await client.execute(request, timeout: .seconds(120))
                #expect(answer.version == .http1_1)
                #expect(answer.status == .ok)
            }
        }
    }

    @Test("A webhook to a receiver with an untrusted certificate fails for its TLS, and says so")
    func untrusted() async throws {
        try await TLSPlace.make().listen { port, _ in
            let request = TransportRequest(
                method: "POST", url: "https://localhost:\(port)/hooks?key=s3", headers: [])
            let transport = HTTPTransport.toReceivers()
            let outcome = await WebhookOutcome(of: request, over: transport)
            await transport.close()
            #expect(outcome.text == "tlsFailed")
            #expect(outcome.reasonedText == "tlsFailed: CERTIFICATE_VERIFY_FAILED")
        }
    }

    @Test("A connection or a TLS handshake that takes too long is a timeout")
    func stalledConnection() {
        for error in [HTTPClientError.connectTimeout, .tlsHandshakeTimeout] {
            #expect(HTTPTransport.failure(error) == .connectTimedOut, "\(error)")
        }
    }

    @Test("A body that takes too long is a 408 and ends its connection; others continue")
    func slowBody() async throws {
        var place = try TLSPlace.make()
        place.limits.bodySeconds = 1
        let begun =
            "POST /appstore/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await place.listen { port, _ in
            let tls = try NIOSSLContext(configuration: TLSPlace.clientConfiguration)
            try await StreamReader.open(port: port, Array(request.utf8), over: tls) { other in
                #expect(await other.wait(for: "HTTP/1.1 200 "))
                try await StreamReader.open(port: port, Array(begun.utf8), over: tls) { slow in
                    await slow.waitForEnd()
                    #expect(slow.text.hasPrefix("HTTP/1.1 408 "))
                    #expect(slow.text.contains("\"code\":\"requestTimeout\""))
                }
                try await other.send("GET /v1/none HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await other.wait(for: "HTTP/1.1 404 "))
            }
        }
    }
}
