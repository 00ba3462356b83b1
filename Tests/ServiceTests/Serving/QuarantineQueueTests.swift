import AppStore
import Dispatch
import LedgerStore
import LedgerTestSupport
import Projection
import Signing
import TestSupport
import Testing

@testable import Service

@Suite("Copies of events that the log could not take")
struct QuarantineQueueTests {
    private static func item(_ bytes: [UInt8]) -> NewQuarantineItem {
        NewQuarantineItem(
            receivedAt: TemporaryLedger.end, standing: .genuineConfigured, code: "fileLocked",
            message: "made", bytes: bytes, input: "made")
    }

    @Test("Up to the limit a copy is removed with its event, one past it stays", arguments: [0, 1])
    func bound(excess: Int) async throws {
        try await TemporaryLedger().ledger { (ledger: EnvironmentLedger) async throws in
            let queue = QuarantineQueue(ledger.operations)
            for number in 0..<QuarantineQueue.unwrittenCount - 1 + excess {
                queue.noteUnwritten(0, payloadHash: Digest(words: (UInt64(number), 0, 0, 0)))
            }
            let bytes = Array("evidence".utf8)
            let id = try #require(try await queue.keep(Self.item(bytes)))
            queue.noteUnwritten(id, payloadHash: SHA256.hash(bytes))
            await queue.removeWritten(payloadHash: SHA256.hash(Array("another".utf8)))
            #expect(try await ledger.operations.quarantineCount() == 1)
            await queue.removeWritten(payloadHash: SHA256.hash(bytes))
            #expect(try await ledger.operations.quarantineCount() == excess)
        }
    }

    @Test(
        "As many copies wait as the limits allow, one past them is not stored",
        arguments: [
            (QuarantineQueue.waitingCount, 1), (16, QuarantineQueue.waitingByteCount / 16),
        ])
    func room(count: Int, byteCount: Int) async throws {
        try await TemporaryLedger().ledger { (ledger: EnvironmentLedger) async throws in
            // given
            let operations = ledger.operations
            let queue = QuarantineQueue(operations)
            let (began, beginning) = AsyncStream.makeStream(of: Void.self)
            let released = DispatchSemaphore(value: 0)
            async let busy: Void = operations.readTables { _ in
                beginning.finish()
                released.wait()
            }
            for await _ in began {}
            // when
            let kept = (0..<count).map { number in
                let item = Self.item([UInt8](repeating: UInt8(number), count: byteCount))
                // Waits in the queue, or is refused, when this returns.
                return Task.immediate { try await queue.keep(item) }
            }
            let last = Self.item([0])
            let past = Task.immediate { try await queue.keep(last) }
            released.signal()
            try await busy
            // then
            let ids = try await kept.asyncMap { try await $0.value }
            #expect(Set(ids.compactMap(\.self)).count == count)
            let none = try await past.value
            #expect(none == nil)
            // What was written makes room.
            let later = try await queue.keep(last)
            #expect(later != nil)
        }
    }
}
