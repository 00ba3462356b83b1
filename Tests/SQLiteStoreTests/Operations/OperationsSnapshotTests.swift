import AppStore
import Dispatch
import TestSupport
import Testing

@testable import LedgerStore

@Suite("Reads of operational state")
struct OperationsSnapshotTests {
    /// PostgreSQL has such snapshots by its isolation level, and repeats reads that take long.
    @Test("A read sees one state, whatever another process writes meanwhile")
    func snapshot() async throws {
        let engine = OperationsEngine.sqlite
        let place = try TemporaryDirectory()
        let reader = try await engine.open(place)
        let writer = try await engine.open(place)
        let (began, wrote) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let counts = Task {
            try await reader.readTables { tables -> [Int] in
                let before: Int
                do {
                    defer { began.signal() }
                    before = try tables.count("quarantine")
                }
                wrote.wait()
                return [before, try tables.count("quarantine")]
            }
        }
        await Blocking.run { began.wait() }
        let item = NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .genuineConfigured, code: "c",
            message: "m", bytes: [1], input: "i")
        do {
            defer { wrote.signal() }
            #expect(try await writer.quarantine(item) == .kept(id: 1))
        }
        #expect(try await counts.value == [0, 0])
        #expect(try await reader.quarantineCount() == 1)
        await reader.close()
        await writer.close()
    }
}
