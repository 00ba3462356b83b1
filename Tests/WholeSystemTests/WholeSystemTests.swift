import AppStore
import Foundation
import TestSupport
import Testing

/// Seeded runs of a whole system: subscribers, Apple's notifier and API with all their faults, and
/// a real ledger that crashes between any two steps. `make soak SEEDS=1 SEED=123` repeats one.
@Suite("The whole system", .serialized)
struct WholeSystemTests {
    /// Runs in `make test`.
    static let usualSeedCount: UInt64 = 75
    /// Fewer runs would not prove that processes ended at all of `fatalSteps`.
    static let provingSeedCount: UInt64 = 1_000
    /// Concurrent runs: each holds some forty descriptors, and rarely waits.
    static let width = 6
    /// Failures reported in detail.
    static let reportedFailures = 5
    /// Steps at which some process must have ended in `provingSeedCount` runs.
    static let fatalSteps = [
        "opened", "posted", "verified", "appended", "reported", "acknowledged", "uploaded",
        "asking", "answered", "read", "recovered", "projecting", "projected",
    ]

    @Test("After any outage, crash and fault, a recovery makes the ledger correct")
    func seeds() async {
        let first = Soak.number("SUBLEDGER_SEED") ?? 1
        let count = Soak.number("SUBLEDGER_SEEDS") ?? Self.usualSeedCount
        let tally = RunTally(first..<first + count)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.width {
                group.addTask {
                    while let seed = tally.take() { await Self.run(seed, tally) }
                }
            }
        }
        let met = tally.coverage
        for failure in met.failures.prefix(Self.reportedFailures) { Issue.record("\(failure)") }
        #expect(met.failures.count == 0, "of \(count) seeds")
        // Runs without this coverage prove nothing.
        guard count >= Self.usualSeedCount else { return }
        #expect(met.environments == [.production, .sandbox])
        #expect(met.beliefs > 0)
        #expect(!met.endings.isEmpty)
        guard count >= Self.provingSeedCount else { return }
        for step in Self.fatalSteps {
            #expect(met.endings[step, default: 0] > 0, "no process ended at: \(step)")
        }
    }

    private static func run(_ seed: UInt64, _ tally: RunTally) async {
        do {
            var run = try await SystemRun(seed: seed)
            try await run.run()
            tally.note(run)
        } catch {
            tally.note(error, seed: seed)
        }
    }
}
