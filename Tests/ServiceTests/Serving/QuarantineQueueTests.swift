import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import Signing
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
                queue.noteUnwritten(0, payloadHash: SHA256.hash(Array("other \(number)".utf8)))
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
}
