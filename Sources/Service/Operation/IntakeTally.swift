public import AppStore
import Synchronization

/// Counts deliveries by outcome, for the last 24 hours of this process.
final class IntakeTally: Sendable {
    private let start: Timestamp
    private let hours = Mutex<[Int64: [Key: Int64]]>([:])

    /// Hours counted, the current one included.
    static let hourCount: Int64 = 24
    static let hourMilliseconds: Int64 = 3_600_000

    private struct Key: Hashable {
        /// Nil for deliveries that name no environment.
        let environment: Environment?
        let outcome: String
    }

    init(start: Timestamp) { self.start = start }

    func count(_ outcome: IntakeOutcome) {
        let key = Key(environment: outcome.environment, outcome: outcome.result)
        let hour = IntakeTally.hour(of: outcome.receivedAt)
        hours.withLock { hours in
            if hours[hour] == nil {
                hours = hours.filter { abs($0.key - hour) < IntakeTally.hourCount }
            }
            hours[hour, default: [:]][key, default: 0] += 1
        }
    }

    /// The counts of deliveries of an environment (nil: of those that name none).
    func counts(of environment: Environment?, at now: Timestamp) -> IntakeCounts {
        let hour = IntakeTally.hour(of: now)
        let first = hour - IntakeTally.hourCount + 1
        let sums = hours.withLock { hours in
            var sums: [String: Int64] = [:]
            for (at, counts) in hours where (first...hour).contains(at) {
                for (key, count) in counts where key.environment == environment {
                    sums[key.outcome, default: 0] += count
                }
            }
            return sums
        }
        let oldest = Timestamp(milliseconds: first * IntakeTally.hourMilliseconds)
        return IntakeCounts(
            since: max(start, oldest),
            outcomes: sums.sorted { $0.key < $1.key }.map {
                IntakeCounts.Outcome(outcome: $0.key, count: $0.value)
            })
    }

    private static func hour(of time: Timestamp) -> Int64 {
        CivilDate.floorDivide(time.milliseconds, hourMilliseconds)
    }
}

/// Deliveries to this process by outcome.
public struct IntakeCounts: Sendable, Equatable {
    /// From when they are counted: at most 24 hours ago, to the hour, or since the start.
    public let since: Timestamp
    /// By name; those that occurred.
    public let outcomes: [Outcome]

    /// How many deliveries had one outcome.
    public struct Outcome: Sendable, Equatable {
        /// `appended`, `duplicate`, `conflict`, or the code of the refusal.
        public let outcome: String
        public let count: Int64
    }
}
