import NIOSSL
import Testing

@testable import Web

@Suite("Slow TLS handshakes")
struct SlowHandshakeTests {
    /// The beginning of a record that announces a ClientHello, and a byte of it.
    private static let begun: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]

    @Test("An endless one, begun or not, is closed at the deadline; a completed one stays")
    func endless() async throws {
        var place = try TLSPlace.make()
        // Time for a normal handshake next to other tests.
        place.limits.handshakeSeconds = 5
        try await place.listen { port, _ in
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let tls = try NIOSSLContext(configuration: TLSPlace.clientConfiguration)
            try await StreamReader.open(port: port, Array(request.utf8), over: tls) { proper in
                #expect(await proper.wait(for: "HTTP/1.1 200 "))
                try await StreamReader.open(port: port, []) { silent in
                    try await StreamReader.open(port: port, SlowHandshakeTests.begun) { slow in
                        for reader in [silent, slow] {
                            await reader.waitForEnd()
                            #expect(reader.text.isEmpty)
                        }
                    }
                }
                // Its own deadline has passed as well.
                try await proper.send("GET /v1/none HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await proper.wait(for: "HTTP/1.1 404 "))
            }
        }
    }
}
