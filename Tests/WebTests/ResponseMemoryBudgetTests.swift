import AppStore
import HTTPTypes
import Hummingbird
import NIOCore
import Queries
import Service
import Synchronization
import Testing

@testable import Web

@Suite("Memory budget of responses waiting to be read")
struct AnswerRoomTests {
    private let room = ResponseMemoryBudget()

    /// Takes the whole budget for the largest responses.
    private func filled() throws -> [SharedBudget.Share] {
        let count =
            (ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount)
            / ResponseMemoryBudget.makingByteCount
        return try (0..<count).map { _ in
            try #require(room.take(ResponseMemoryBudget.makingByteCount))
        }
    }

    /// Takes the reserve, except room for so many of the largest responses that use it.
    private func filledReserve(but count: Int = 0) throws -> [SharedBudget.Share] {
        let all = ResponseMemoryBudget.reservedByteCount / ResponseMemoryBudget.smallByteCount
        return try (count..<all).map { _ in
            try #require(room.take(ResponseMemoryBudget.smallByteCount))
        }
    }

    @Test("The reserve is for small responses, to the byte")
    func bounds() throws {
        let large = try filled()
        #expect(room.take(ResponseMemoryBudget.smallByteCount + 1) == nil)
        #expect(throws: Problem.self) { try room.require(ResponseMemoryBudget.makingByteCount) }
        let small = try filledReserve()
        #expect(room.take(1) == nil)
        withExtendedLifetime((large, small)) {}
    }

    @Test("A response that never finds room is not called busy")
    func neverFits() {
        let whole = ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount
        #expect(throws: Never.self) { try room.require(whole) }
        let problem = #expect(throws: Problem.self) { try room.require(whole + 1) }
        #expect(problem?.status == .internalServerError && problem?.retryAfter == nil)
    }

    @Test("One byte more than is left is refused; exactly what is left is not")
    func lastByte() throws {
        let large = try filled()
        let all = try filledReserve(but: 1)
        let one = room.take(1)
        #expect(one != nil)
        #expect(room.take(ResponseMemoryBudget.smallByteCount) == nil)
        #expect(room.take(ResponseMemoryBudget.smallByteCount - 1) != nil)
        withExtendedLifetime((large, all, one)) {}
    }

    // MARK: Release

    /// Whether the whole budget is free.
    private var isEmpty: Bool {
        room.take(ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount)
            != nil
    }

    private func response(_ count: Int) -> Response {
        Response(
            status: .ok,
            body: .init(byteBuffer: ByteBuffer(repeating: 0x61, count: count)))
    }

    /// Records what is written to it.
    private final class Sink: Sendable {
        let pieces = Mutex<[ByteBuffer]>([])
        let isEnded = Mutex(false)
        /// Called at each piece.
        let meanwhile: @Sendable () throws -> Void

        init(_ meanwhile: @escaping @Sendable () throws -> Void) { self.meanwhile = meanwhile }
    }

    private struct SinkWriter: ResponseBodyWriter {
        let sink: Sink

        mutating func write(_ buffer: ByteBuffer) async throws {
            try sink.meanwhile()
            sink.pieces.withLock { $0.append(buffer) }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            sink.isEnded.withLock { $0 = true }
        }
    }

    private func write(_ response: consuming Response, to sink: Sink) async throws {
        try await response.body.write(SinkWriter(sink: sink))
    }

    @Test("A response holds its share while it is written piece by piece, and not after")
    func written() async throws {
        let count = 3 * ChunkedBodyWriter.byteCount + 1
        let sink = Sink {
            let whole = ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount
            #expect(room.take(whole) == nil)
            #expect(room.take(whole - count) != nil)
        }
        try await write(room.admit(response(count)), to: sink)
        let pieces = sink.pieces.withLock { $0 }
        #expect(
            pieces.map(\.readableBytes)
                == [
                    ChunkedBodyWriter.byteCount, ChunkedBodyWriter.byteCount,
                    ChunkedBodyWriter.byteCount, 1,
                ])
        // No piece retains the whole response.
        #expect(pieces.allSatisfy { $0.storageCapacity <= ChunkedBodyWriter.byteCount })
        #expect(sink.isEnded.withLock { $0 })
        #expect(isEmpty)
    }

    @Test("A disconnected reader releases its share, and so does a response that is never written")
    func lost() async throws {
        let sink = Sink { throw ChannelError.ioOnClosedChannel }
        await #expect(throws: ChannelError.self) {
            try await write(room.admit(response(ResponseMemoryBudget.smallByteCount)), to: sink)
        }
        #expect(isEmpty)
        do { _ = try room.admit(response(ResponseMemoryBudget.smallByteCount)) }
        #expect(isEmpty)
    }

    @Test("A response that a connection buffers anyway needs no share; one byte more does")
    func uncounted() throws {
        let large = try filled()
        let rest = try filledReserve()
        #expect(throws: Never.self) {
            try room.admit(response(ResponseMemoryBudget.uncountedByteCount))
        }
        #expect(throws: Problem.self) {
            try room.admit(response(ResponseMemoryBudget.uncountedByteCount + 1))
        }
        withExtendedLifetime((large, rest)) {}
    }

    @Test("A shared body is in memory once and needs no share, however many wait for it")
    func shared() async throws {
        let body = WebService.document
        #expect(body.readableBytes > ChunkedBodyWriter.byteCount)
        let sink = Sink {
            #expect(
                room.take(
                    ResponseMemoryBudget.heldByteCount - ResponseMemoryBudget.reservedByteCount)
                    != nil)
        }
        try await ChunkedBodyWriter.body(sharing: body).write(SinkWriter(sink: sink))
        let pieces = sink.pieces.withLock { $0 }
        #expect(pieces.map(\.readableBytes).reduce(0, +) == body.readableBytes)
        #expect(pieces.allSatisfy { $0.readableBytes <= ChunkedBodyWriter.byteCount })
        let start = body.withUnsafeReadableBytes { $0.baseAddress }
        #expect(pieces.first?.withUnsafeReadableBytes { $0.baseAddress } == start)
        #expect(sink.isEnded.withLock { $0 })
    }

    @Test("The metrics need a share like any response")
    func metrics() async throws {
        var place = try ServedPlace()
        place.answers = room
        let large = try filled()
        let rest = try filledReserve()
        let metrics = place.metrics
        // Longer than what a connection buffers anyway.
        for number in 0..<400 {
            let name = String(repeating: "x", count: 100) + String(number)
            metrics.registry.counter(name).add()
        }
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.get("/metrics")
            #expect(answer.status == 503 && answer.code == "busy")
        }
        withExtendedLifetime((large, rest)) {}
    }

    // MARK: Routes

    @Test("Without room, evidence is a 503 with Retry-After; small responses are still sent")
    func busy() async throws {
        let purchase = MadePurchase()
        var place = try ServedPlace()
        place.answers = room
        let shares = Mutex(try filled())
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            #expect(try await client.notify(purchase.notificationBody()).status == 200)
            let show = "/v1/subscriptions/\(purchase.id)"
            #expect(try await client.ask("\(show)?minPosition=1").status == 200)
            for path in ["/v1/events?evidence=true", "\(show)/events"] {
                let answer = try await client.get(path)
                #expect(answer.status == 503 && answer.code == "busy", "\(path)")
                #expect(answer.headers[.retryAfter] != nil)
            }
            #expect(try await client.get(show).status == 200)
            #expect(try await client.get("/v1/events").status == 200)
            shares.withLock { $0 = [] }
            for path in ["/v1/events?evidence=true", "\(show)/events"] {
                #expect(try await client.get(path).status == 200, "\(path)")
            }
        }
        #expect(isEmpty)
    }

    @Test("A page of evidence ends before it gets too large, and next continues")
    func pages() async throws {
        let purchase = MadePurchase()
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0..<3 {
                #expect(try await client.notify(purchase.notificationBody(period)).status == 200)
            }
            func page(after: Int64, _ byteCount: Int) async throws -> (positions: [Int64], Int64?) {
                let answer = try await host.events(
                    QueryScope(), from: .after(after), limit: 1_000, withEvidence: true,
                    byteCount: byteCount)
                let json = try JSONValue.parse(answer.bytes)
                return (
                    json["events"]?.array?.compactMap { $0["position"]?.int64 } ?? [],
                    json["next"]?.int64
                )
            }
            // The size of two of them: all between the brackets.
            let two = try await client.get("/v1/events?evidence=true&limit=2").bytes
            let tail = "],\"next\":2,\"position\":3}".utf8.count
            let byteCount = two.count - "{\"events\":[".utf8.count - tail
            #expect(try await page(after: 0, byteCount) == ([1, 2], 2))
            #expect(try await page(after: 0, byteCount - 1) == ([1], 1))
            #expect(try await page(after: 0, 1) == ([1], 1))
            #expect(try await page(after: 1, 1) == ([2], 2))
            #expect(try await page(after: 3, 1) == ([], 3))
            let chain = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=3")
            #expect(chain.status == 200)
            var (after, seen): (Int64?, [Int64]) = (0, [])
            while let place = after {
                let answer = try await host.chainEvents(
                    purchase.id, QueryScope(), after: place, limit: 1_000, byteCount: 1)
                let json = try JSONValue.parse(answer.bytes)
                let events = json["events"]?.array ?? []
                try #require(events.count == 1)
                seen += events.compactMap { $0["position"]?.int64 }
                after = json["next"]?.int64
            }
            #expect(seen == [1, 2, 3])
        }
    }
}
