import AppStore
import Synchronization

/// Assigns seeds and collects the coverage of the runs.
final class RunTally: Sendable {
    /// The combined coverage of all runs.
    struct Coverage: Sendable {
        /// Processes that ended, by the step at which they ended.
        var endings: [String: Int] = [:]
        var environments: Set<Environment> = []
        /// Queries that were repeated at the end.
        var beliefs = 0
        /// Steps between which a process could end.
        var steps = 0
        /// Runs in which the ledger violated an invariant.
        var failures: [String] = []
    }

    private let state: Mutex<(next: UInt64, coverage: Coverage)>
    private let end: UInt64

    init(_ seeds: Range<UInt64>) {
        state = Mutex((seeds.lowerBound, Coverage()))
        end = seeds.upperBound
    }

    var coverage: Coverage { state.withLock { $0.coverage } }

    /// The next seed; nil after the last.
    func take() -> UInt64? {
        state.withLock { state in
            guard state.next < end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func note(_ run: SystemRun) {
        state.withLock { state in
            for ending in run.steps.endings { state.coverage.endings[ending, default: 0] += 1 }
            state.coverage.environments.insert(run.world.environment)
            state.coverage.beliefs += run.beliefs.count
            state.coverage.steps += run.steps.count
        }
    }

    func note(_ failure: any Error, seed: UInt64) {
        let reported = "seed \(seed): \(failure)\nrepeat with: make soak SEEDS=1 SEED=\(seed)"
        state.withLock { $0.coverage.failures.append(reported) }
    }
}
