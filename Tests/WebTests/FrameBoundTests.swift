import NIOCore
import Testing

@testable import Web

/// How many HTTP/2 frames without requests a connection may send.
@Suite("Frames of HTTP/2")
struct FrameBoundTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private static let update = FrameTokenBucket.Frame(type: 8, byteCount: 4)

    private static func limits(frames: Int, perSecond: Int = 0) -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.frameCount = frames
        limits.framesPerSecond = perSecond
        return limits
    }

    /// Expects that exactly this many frames of a kind are allowed at one time, out of 10,000.
    private func expectTaken(
        _ count: Int, _ allowance: inout FrameTokenBucket, _ frame: FrameTokenBucket.Frame = update,
        after elapsed: TimeAmount = .zero, location: SourceLocation = #_sourceLocation
    ) {
        let taken = (0..<10_000).first { _ in
            !allowance.take(frame, now: FrameBoundTests.start + elapsed)
        }
        #expect((taken ?? 10_000) == count, sourceLocation: location)
    }

    // MARK: Counting

    @Test("As many as the limit, and not one past it")
    func bound() {
        let limits = ConnectionLimits()
        var allowance = FrameTokenBucket(limits: limits, now: FrameBoundTests.start)
        expectTaken(limits.frameCount, &allowance)
        expectTaken(0, &allowance)
    }

    @Test("A request accounts for its own frames, but saves none up beyond the limit")
    func requests() {
        var allowance = FrameTokenBucket(
            limits: FrameBoundTests.limits(frames: 100), now: FrameBoundTests.start)
        let head = FrameTokenBucket.Frame(type: FrameTokenBucket.Frame.headers, byteCount: 40)
        // Requests alone are unlimited.
        expectTaken(10_000, &allowance, head)
        expectTaken(99, &allowance)
        let isTaken = allowance.take(head, now: FrameBoundTests.start)
        #expect(isTaken)
        expectTaken(FrameTokenBucket.framesPerRequest - 1, &allowance)
    }

    @Test(
        "A body accounts for its frames by its bytes: normal pieces are allowed, tiny ones are not")
    func bodies() {
        let limits = FrameBoundTests.limits(frames: 100)
        for (byteCount, taken) in [
            (FrameTokenBucket.bytesPerFrame, 10_000), (FrameTokenBucket.bytesPerFrame / 2, 199),
            (1, 101), (0, 100),
        ] {
            var allowance = FrameTokenBucket(limits: limits, now: FrameBoundTests.start)
            let piece = FrameTokenBucket.Frame(
                type: FrameTokenBucket.Frame.data, byteCount: byteCount)
            expectTaken(taken, &allowance, piece)
        }
    }

    @Test("A response makes room for the WINDOW_UPDATE frames of its reader")
    func answers() {
        var allowance = FrameTokenBucket(
            limits: FrameBoundTests.limits(frames: 100), now: FrameBoundTests.start)
        expectTaken(100, &allowance)
        allowance.earn(byteCount: 3 * FrameTokenBucket.bytesPerFrame)
        expectTaken(3, &allowance)
        allowance.earn(byteCount: Int(Int32.max))
        expectTaken(100, &allowance)
    }

    @Test("Every second accounts for some more, up to the limit")
    func time() {
        var allowance = FrameTokenBucket(
            limits: FrameBoundTests.limits(frames: 100, perSecond: 16), now: FrameBoundTests.start)
        expectTaken(100, &allowance)
        expectTaken(0, &allowance, after: .milliseconds(999))
        expectTaken(16, &allowance, after: .seconds(1))
        expectTaken(0, &allowance, after: .seconds(1))
        expectTaken(100, &allowance, after: .hours(24 * 365))
    }

    @Test("Frame heads are found however the bytes are split", arguments: [1, 2, 9, 10, 1_000])
    func cut(_ length: Int) {
        let sent =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + BareHTTP2.frame(.settings)
            + BareHTTP2.ask("/healthz", stream: 1)
            + BareHTTP2.frame(.data, stream: 1, payload: Array(repeating: 0, count: 300))
            + BareHTTP2.frame(.unknown, payload: [8])
        var heads = FrameHeads()
        var seen: [FrameTokenBucket.Frame] = []
        for start in stride(from: 0, to: sent.count, by: length) {
            let piece = sent[start..<min(start + length, sent.count)]
            heads.read(ByteBuffer(bytes: piece)) {
                seen.append($0)
                return true
            }
        }
        let headLength = BareHTTP2.fields("/healthz").count
        #expect(seen.map(\.type) == [4, 1, 0, 0xfa])
        #expect(seen.map(\.byteCount) == [0, headLength, 300, 1])
    }

    // MARK: Connections

    private static let floods: [(BareHTTP2.Frame, UInt32, [UInt8])] = [
        (.windowUpdate, 0, [0, 0, 0, 1]), (.windowUpdate, 1, [0, 0, 0, 1]),
        (.priority, 3, [0, 0, 0, 0, 0]), (.goAway, 0, [0, 0, 0, 0, 0, 0, 0, 0]),
        (.unknown, 0, []), (.data, 1, [0x20]), (.data, 1, []),
    ]

    /// Sends frames on a connection with one incomplete request.
    private static func flood(
        _ kind: (BareHTTP2.Frame, UInt32, [UInt8]), count: Int, on client: BareHTTP2
    ) async throws {
        try await client.send(BareHTTP2.begin("/appstore/notifications", stream: 1))
        let one = BareHTTP2.frame(kind.0, stream: kind.1, payload: kind.2)
        for start in stride(from: 0, to: count, by: 100) {
            let some = (start..<min(start + 100, count)).flatMap { _ in one }
            // The connection may be closed before the last.
            try? await client.send(some)
        }
    }

    @Test("A flood of any kind of frame closes its connection", arguments: 0..<floods.count)
    func flood(_ index: Int) async throws {
        var place = try TLSPlace.make()
        // This test does not wait for the end of the body.
        place.limits.bodySeconds = 600
        let count = 2 * place.limits.frameCount
        try await place.listen { port, service in
            try await BareHTTP2.open(port: port, window: 65_535) { client in
                try await FrameBoundTests.flood(
                    FrameBoundTests.floods[index], count: count, on: client)
                // Answered only once everything before it is read.
                try? await client.send(BareHTTP2.frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]))
                let seen = await client.wait { $0.count(.ping) > 0 }
                #expect(seen.count(.ping) == 0)
                #expect(seen.isClosed)
            }
        }
    }

    @Test(
        "A connection is closed with ENHANCE_YOUR_CALM one frame past the limit, and works at it",
        arguments: [0, 1])
    func boundOfConnection(_ past: Int) async throws {
        var place = try TLSPlace.make()
        place.limits.frameCount = 200
        place.limits.framesPerSecond = 0
        place.limits.idleSeconds = 600
        try await place.listen { port, _ in
            try await BareHTTP2.open(port: port, window: 65_535) { client in
                // The first frame was the client's SETTINGS; received data accounts for less than
                // one.
                await client.wait { $0.count(.settings) == 2 }
                let one = BareHTTP2.frame(.windowUpdate, payload: [0, 0, 0, 1])
                try await client.send((0..<199 + past).flatMap { _ in one })
                try? await client.send(BareHTTP2.ask("/healthz", stream: 1))
                let seen = await client.wait { $0.count(.data) > 0 }
                #expect(seen.isClosed == (past == 1))
                #expect(seen.count(.goAway) == past)
                #expect(seen.count(.headers) == 1 - past)
            }
        }
    }
}
