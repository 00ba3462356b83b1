import Faults
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("Written but not synced", .serialized)
struct UnsyncedCommitTests {
    private func append(
        _ events: [NewEvent], _ directory: String, _ lastly: () -> Void = {}
    ) async throws -> [AppendResult] {
        let log = try await EventLog.open(
            directory: directory, faults: nil, busyTimeoutSeconds: 0)
        let results = await Result { try await log.append(events) }
        lastly()
        await log.close()
        return try results.get()
    }

    /// A process is killed between writing a transaction and syncing it. The next one reads the
    /// transaction, and would answer with duplicates of events that a power failure could still
    /// remove.
    @Test("A killed process's writes are durable before the next one answers with them")
    func killedThenCut() async throws {
        let events = try Sample.events(0..<4)
        let counted = try TemporaryDirectory()
        let count = FaultPlan(directory: counted.path, mode: .once, number: .max)
        FaultFileSystem.apply(count)
        _ = try await append(events, counted.path)
        FaultFileSystem.release(count)
        #expect(count.callCount > 50)
        // A transaction is whole and not durable where the process is killed at a sync.
        let numbers = (1...count.callCount).filter {
            Soak.isOn || count.syncs.contains($0) || $0.isMultiple(of: 9)
        }
        var duplicates = 0
        for number in numbers {
            let directory = try TemporaryDirectory()
            let plan = FaultPlan(directory: directory.path, mode: .powerCut, number: number)
            FaultFileSystem.apply(plan)
            defer { FaultFileSystem.release(plan) }
            _ = try? await append(events, directory.path)
            await plan.revive()
            let reported = try await append(events, directory.path) { plan.stop() }
            if case .duplicate = reported[0] { duplicates += 1 }
            try await plan.heal(seed: UInt64(number))
            let log = try await EventLog.open(directory: directory.path)
            #expect(try await log.head().position == 4, "killed at call \(number)")
            #expect(try await log.verify().isSound)
            for (event, result) in zip(events, reported) {
                let found = try await log.event(at: result.position)?.event.key
                #expect(found == event.key, "killed at call \(number)")
            }
            await log.close()
        }
        #expect(duplicates > 0)
    }
}
