import LedgerTestSupport
import Testing

@testable import LedgerStore

@Suite("Limits of the log")
struct LogLimitTests {
    @Test(
        "Each limit of the log and of the quarantine is the documented one",
        arguments: [
            (LogLimits.batchEventCount, 512), (LogLimits.batchByteCount, 4_194_432),
            (LogLimits.evidenceByteCount, 4_194_432), (LogLimits.idByteCount, 1_024),
            (LogLimits.queueEventCount, 10_000), (LogLimits.queueByteCount, 67_108_864),
            (QuarantineLimits.foreignCountPerBundle, 100), (QuarantineLimits.foreignCount, 1_000),
            (QuarantineLimits.unverifiableCount, 10_000),
            (QuarantineLimits.unverifiableByteCount, 67_108_864),
            (QuarantineLimits.unverifiableCopyByteCount, 262_144),
            (QuarantineLimits.awaitingSecretCount, 1_000),
            (QuarantineLimits.awaitingSecretByteCount, 67_108_864),
        ] as [(Int, Int)])
    func documented(_ limit: Int, _ value: Int) { #expect(limit == value) }

    @Test("A header counts once per batch, however often it is used")
    func headersOfBatch() throws {
        let event = try Sample.event("a")
        let body = event.evidence.packed.storedByteCount
        let header = event.evidence.packed.headers[0].bytes.count
        #expect(try AppendBatch.measure([event, event]) == body * 2 + header)
    }

    private func batch(
        _ count: Int, bytes: Int = 0, isProbe: Bool = false
    ) async throws -> AppendBatch {
        let event = try Sample.command("c", [1])
        return AppendBatch(
            events: Array(repeating: event, count: count), byteCount: bytes, isProbe: isProbe)
    }

    private func expectAdded(
        _ batch: AppendBatch, to queue: inout AppendQueue, _ expected: Bool = true
    ) {
        let isAdded = queue.add(batch)
        #expect(isAdded == expected)
    }

    private func expectGroup(
        _ measure: (AppendBatch) -> Int, of queue: inout AppendQueue, _ expected: [Int]
    ) {
        let group = queue.takeGroup()
        #expect(group.map(measure) == expected)
    }

    @Test("The queue is full at its bound of events and admits again after an answer")
    func queueEvents() async throws {
        var queue = AppendQueue()
        let most = try await batch(LogLimits.queueEventCount - 1)
        let one = try await batch(1)
        expectAdded(most, to: &queue)
        expectAdded(one, to: &queue)
        expectAdded(one, to: &queue, false)
        queue.release([one])
        expectAdded(one, to: &queue)
        #expect(queue.eventCount == LogLimits.queueEventCount)
    }

    @Test("The queue is full at its bound of bytes")
    func queueBytes() async throws {
        var queue = AppendQueue()
        expectAdded(try await batch(1, bytes: LogLimits.queueByteCount), to: &queue)
        expectAdded(try await batch(1, bytes: 1), to: &queue, false)
        expectAdded(try await batch(1, bytes: 0), to: &queue)
        #expect(queue.byteCount == LogLimits.queueByteCount)
    }

    @Test("A group takes whole batches in order, up to a transaction's bounds")
    func groups() async throws {
        var queue = AppendQueue()
        let sizes = [LogLimits.batchEventCount - 1, 1, 1, LogLimits.batchEventCount]
        for size in sizes { expectAdded(try await batch(size), to: &queue) }
        expectGroup(\.events.count, of: &queue, [LogLimits.batchEventCount - 1, 1])
        expectGroup(\.events.count, of: &queue, [1])
        expectGroup(\.events.count, of: &queue, [LogLimits.batchEventCount])
        expectGroup(\.byteCount, of: &queue, [])
        let bytes = [LogLimits.batchByteCount, 1, LogLimits.batchByteCount - 1, 1]
        for count in bytes { expectAdded(try await batch(1, bytes: count), to: &queue) }
        expectGroup(\.byteCount, of: &queue, [LogLimits.batchByteCount])
        expectGroup(\.byteCount, of: &queue, [1, LogLimits.batchByteCount - 1])
        expectGroup(\.byteCount, of: &queue, [1])
        #expect(queue.isEmpty)
    }

    @Test("A probe is a group of its own, wherever it is queued")
    func probes() async throws {
        var queue = AppendQueue()
        for isProbe in [true, false, false, true, true, false] {
            expectAdded(try await batch(isProbe ? 0 : 1, isProbe: isProbe), to: &queue)
        }
        for group in [[0], [1, 1], [0], [0], [1], []] {
            expectGroup(\.events.count, of: &queue, group)
        }
    }

    @Test(
        "A requested page size is clamped to its bounds",
        arguments: [
            (-1, 1), (0, 1), (1, 1), (1_000, 1_000), (1_001, 1_000),
        ])
    func pages(asked: Int, given: Int) { #expect(LogLimits.page(asked) == given) }

    @Test("Known headers are bounded")
    func knownHeaders() throws {
        var known = KnownHeaders()
        let header = try Sample.event("a").evidence.packed.headers[0]
        for id in 1...Int64(LogLimits.knownHeaderCount) { known.insert(header, id) }
        #expect(known.headers.count == LogLimits.knownHeaderCount)
        known.insert(header, 0)
        #expect(known.headers.count == 1)
    }
}
