public import AppStore
internal import Ledger
import Synchronization

/// The clock that a service goes by: the system's, or while that has jumped forward the time that
/// has passed by a steady clock (`ClockPolicy`).
public final class ClockWatch: Sendable {
    private let wall: @Sendable () -> Timestamp
    private let steady: (@Sendable () -> Int64)?
    private let policy = Mutex(ClockPolicy())
    private let report: @Sendable (Change) -> Void

    /// What became of the clock.
    public enum Change: Sendable, Equatable {
        /// It is ahead by so much, and is not gone by.
        case jumped(milliseconds: Int64)
        /// It is gone by again.
        case trusted
    }

    /// - Parameters:
    ///   - wall: what the system's clock says.
    ///   - steady: milliseconds of a clock that is never set and counts sleep; nil: whatever the
    ///     system's clock says is gone by.
    ///   - report: called with each change, on the thread that reads the clock.
    public init(
        wall: @escaping @Sendable () -> Timestamp, steady: (@Sendable () -> Int64)?,
        report: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.wall = wall
        self.steady = steady
        self.report = report
    }

    /// Milliseconds since the call, by the machine's clock that is never set and counts sleep.
    public static func machineSteady() -> @Sendable () -> Int64 {
        let start = ContinuousClock.now
        return { Int64(start.duration(to: .now) / .milliseconds(1)) }
    }

    /// The time to go by.
    public var now: Timestamp { read { $0.time(at: $1) } ?? wall() }

    /// By how much the system's clock is ahead; nil while it is gone by.
    public var jumpMilliseconds: Int64? {
        read { policy, reading in
            _ = policy.time(at: reading)
            return policy.jumpMilliseconds
        } ?? nil
    }

    /// Takes the clock for right when Apple signed something about when it says that it is. True when
    /// that ends a doubt.
    func confirm(signedAt: Timestamp) -> Bool {
        read { $0.confirm(signedAt: signedAt, at: $1) } ?? false
    }

    /// Nil without a steady clock. Both clocks are read under the lock: a reading that waited would
    /// say of one that it stood still.
    private func read<Value: Sendable>(
        _ body: (inout ClockPolicy, ClockPolicy.Reading) -> Value
    ) -> Value? {
        guard let steady else { return nil }
        let (value, before, after) = policy.withLock { policy in
            let before = policy.jumpMilliseconds
            let reading = ClockPolicy.Reading(
                wall: wall(), steady: Timestamp(milliseconds: steady()))
            let value = body(&policy, reading)
            return (value, before, policy.jumpMilliseconds)
        }
        if before == nil, let after {
            report(.jumped(milliseconds: after))
        } else if before != nil, after == nil {
            report(.trusted)
        }
        return value
    }
}
