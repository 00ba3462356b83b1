import AppStore
import Faults
import Ledger
import LedgerStore
import SQLiteStore
import TestSupport
import Testing

@Suite("Erased answers to retention requests, with faults", .serialized)
struct RetentionFaultTests {
    private let start = Timestamp(milliseconds: 1_770_000_000_000)

    private func record(_ id: String) -> RetentionRecord {
        RetentionRecord(
            requestId: id,
            chain: ChainId(
                bundleId: BundleId("com.example"),
                originalTransactionId: OriginalTransactionId("1")),
            at: start, outcome: .noRule)
    }

    private func opened<Value: Sendable>(
        _ directory: String, _ body: (OperationsStore) async throws -> Value
    ) async throws -> Value {
        let store = try await OperationsStore.open(directory: directory)
        let result = await Result { try await body(store) }
        await store.close()
        return try result.get()
    }

    /// A writer's look, an erasure with the faults of a plan, then the late write without them.
    ///
    /// - Returns: how many calls the erasure made.
    private func play(_ mode: FaultMode, _ number: Int) async throws -> Int {
        let directory = try TemporaryDirectory()
        let count = try await opened(directory.path) { store in
            let count = try await store.erasureCount()
            let isKept = try await store.keep([record("early")], erasures: count)
            #expect(isKept)
            return count
        }
        let plan = FaultPlan(directory: directory.path, mode: mode, number: number)
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        _ = try? await opened(directory.path) { store in
            try await store.erase(chains: [record("").chain], ids: [], positions: [])
        }
        let callCount = plan.callCount
        try await plan.heal(seed: Soak.seed &+ UInt64(number))
        try await opened(directory.path) { store in
            let isErased = try await store.erasureCount() == count + 1
            let isLate = try await !store.keep([record("late")], erasures: count)
            let left = try await store.retentionAnswers(
                after: RetentionRecord.Place(before: start),
                before: start.advanced(byMilliseconds: 1), limit: 10
            ).map(\.requestId)
            let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
            #expect(isLate == isErased, note)
            #expect(left == (isErased ? [] : ["early", "late"]), note)
        }
        return callCount
    }

    @Test(
        "An erasure that fails removes answers and keeps late ones out, or does neither")
    func erased() async throws {
        let count = try await play(.once, .max)
        #expect(count > 10)
        for (mode, number) in FaultLoopTests.faults(count) { _ = try await play(mode, number) }
    }
}
