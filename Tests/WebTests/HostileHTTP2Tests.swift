import Testing

@testable import Web

/// HTTP/2 clients that only occupy the server's resources.
@Suite("Hostile HTTP/2")
struct HostileHTTP2Tests {
    /// Serves under TLS, and afterwards sends a request to check that it still works.
    private func attack(
        _ place: ServedPlace, window: UInt32 = 65_535,
        _ body: @escaping @Sendable (BareHTTP2, WebService) async throws -> Void
    ) async throws {
        try await place.listen { port, service in
            try await BareHTTP2.open(port: port, window: window) { try await body($0, service) }
            try await BareHTTP2.open(port: port, window: 65_535) { next in
                try await next.send(BareHTTP2.ask("/healthz", stream: 1))
                let seen = await next.wait { $0.count(.data) > 0 }
                #expect(seen.count(.headers) == 1)
            }
        }
    }

    @Test(
        "Readers that never open their window are disconnected at the deadline and hold no body")
    func closedWindow() async throws {
        var place = try TLSPlace.make()
        let streamCount = 50
        place.limits.stallSeconds = 1
        place.limits.streamCount = streamCount
        try await attack(place, window: 0) { client, _ in
            for number in 0..<streamCount {
                try await client.send(
                    BareHTTP2.ask("/openapi.yaml", stream: UInt32(2 * number + 1)))
            }
            let seen = await client.wait { $0.count(.resetStream) == streamCount }
            #expect(seen.count(.resetStream) == streamCount)
            #expect(seen.count(.headers) == streamCount)
            #expect(seen.count(.data) == 0)
            // And their share is free again.
            let next = UInt32(2 * streamCount + 1)
            try await client.send(BareHTTP2.ask("/healthz", stream: next))
            let more = await client.wait { $0.count(.headers) == streamCount + 1 }
            #expect(more.frames.contains { $0.type == 1 && $0.stream == next })
        }
    }

    @Test("One stream more than the limit is refused; one fewer is answered")
    func streamCount() async throws {
        var place = try TLSPlace.make()
        place.limits.streamCount = 2
        try await attack(place) { client, service in
            for stream: UInt32 in [1, 3] {
                try await client.send(BareHTTP2.ask("/v1/changes", stream: stream))
            }
            await client.wait { $0.count(.headers) == 2 }
            #expect(service.limiter.streamCount == 2)
            try await client.send(BareHTTP2.ask("/healthz", stream: 5))
            let refused = await client.wait { $0.count(.resetStream) == 1 }
            // REFUSED_STREAM: the request may be retried.
            #expect(refused.resets[5] == 7)
            #expect(refused.count(.headers) == 2)
            // A reader that disconnects makes room.
            try await client.send(
                BareHTTP2.frame(.resetStream, stream: 1, payload: [0, 0, 0, 8]))
            try await client.send(BareHTTP2.ask("/healthz", stream: 7))
            let seen = await client.wait { $0.frames.contains { $0.type == 0 && $0.stream == 7 } }
            #expect(seen.frames.contains { $0.type == 1 && $0.stream == 7 })
        }
    }

    @Test("Rapid stream resets close the connection")
    func rapidReset() async throws {
        try await attack(TLSPlace.make()) { client, _ in
            for number in 0..<1_000 {
                let stream = UInt32(2 * number + 1)
                let reset = BareHTTP2.frame(
                    .resetStream, stream: stream, payload: [0, 0, 0, 8])
                // The connection may be closed before the last.
                try? await client.send(BareHTTP2.ask("/healthz", stream: stream) + reset)
            }
            let seen = await client.wait { $0.isClosed }
            #expect(seen.isClosed)
        }
    }

    @Test(
        "Floods of frames without requests close the connection",
        arguments: [BareHTTP2.Frame.ping, .settings])
    func controlFrames(_ type: BareHTTP2.Frame) async throws {
        try await attack(TLSPlace.make()) { client, _ in
            let payload: [UInt8] = type == .ping ? Array(repeating: 7, count: 8) : []
            let some = (0..<100).flatMap { _ in BareHTTP2.frame(type, payload: payload) }
            for _ in 0..<20 { try? await client.send(some) }
            let seen = await client.wait { $0.isClosed }
            #expect(seen.isClosed)
        }
    }

    @Test("An endless or oversized head closes the connection")
    func endlessHead() async throws {
        try await attack(TLSPlace.make()) { client, _ in
            try await client.send(
                BareHTTP2.frame(
                    .headers, flags: 0x01, stream: 1, payload: BareHTTP2.fields("/healthz")))
            // A literal field, repeated: x: x.
            let field: [UInt8] = [0x00, 1, 0x78, 1, 0x78]
            let piece = Array(repeatElement(field, count: 1_000).joined())
            for _ in 0..<200 {
                try? await client.send(
                    BareHTTP2.frame(.continuation, stream: 1, payload: piece))
            }
            let seen = await client.wait { $0.isClosed }
            #expect(seen.isClosed)
            #expect(seen.count(.data) == 0)
        }
    }
}
