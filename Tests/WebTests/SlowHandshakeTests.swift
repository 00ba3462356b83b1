import Testing

@testable import Web

@Suite("Slow TLS handshakes")
struct SlowHandshakeTests {
    /// The beginning of a record that announces a ClientHello, and a byte of it.
    private static let begun: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]

    @Test(
        "An endless one is closed at the deadline; a completed one stays",
        arguments: [[], begun])
    func endless(_ bytes: [UInt8]) async throws {
        var place = try TLSPlace.make()
        // Time for a normal handshake next to other tests.
        place.limits.handshakeSeconds = 5
        try await place.listen { port, _ in
            try await BareHTTP2.open(port: port, window: 65_535) { proper in
                try await proper.send(BareHTTP2.ask("/healthz", stream: 1))
                await proper.wait { $0.count(.data) > 0 }
                try await StreamReader.open(port: port, bytes) { slow in
                    await slow.waitForEnd()
                    #expect(slow.text.isEmpty)
                }
                // Its own deadline has passed as well.
                try await proper.send(BareHTTP2.ask("/healthz", stream: 3))
                let seen = await proper.wait { $0.frames.contains { $0 == (0, 3) } }
                #expect(seen.frames.contains { $0 == (1, 3) })
            }
        }
    }
}
