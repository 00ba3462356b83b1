import Testing

@testable import Web

@Suite("TLS handshakes that take their time")
struct SlowHandshakeTests {
    /// The beginning of a record that says a ClientHello follows, and a byte of it.
    private static let begun: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]

    @Test(
        "One that never ends is closed at the bound; a connection that is through with it stays",
        arguments: [[], begun])
    func endless(_ bytes: [UInt8]) async throws {
        var place = try TLSPlace.make()
        // Room for a proper handshake among all else that tests do at once.
        place.limits.handshakeSeconds = 5
        try await place.listen { port, _ in
            try await BareHTTP2.open(port: port, window: 65_535) { proper in
                try await proper.send(BareHTTP2.ask("/healthz", stream: 1))
                await proper.wait { $0.count(.data) > 0 }
                try await StreamReader.open(port: port, bytes) { slow in
                    await slow.waitForEnd()
                    #expect(slow.text.isEmpty)
                }
                // Its own bound has passed as well by now.
                try await proper.send(BareHTTP2.ask("/healthz", stream: 3))
                let seen = await proper.wait { $0.frames.contains { $0 == (0, 3) } }
                #expect(seen.frames.contains { $0 == (1, 3) })
            }
        }
    }
}
