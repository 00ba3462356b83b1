public import AppStore
import Ledger
import Synchronization

/// The service's clock: the system clock, or, while that has jumped forward, the time elapsed on a
/// monotonic clock (`ClockPolicy`).
public final class ClockWatch: Sendable {
    private let wall: @Sendable () -> Timestamp
    private let steady: (@Sendable () -> Int64)?
    private let policy = Mutex(ClockPolicy())
    private let report: @Sendable (Change) -> Void

    /// A change in the trust of the system clock.
    public enum Change: Sendable, Equatable {
        /// It is ahead by this much and is not trusted.
        case jumped(milliseconds: Int64)
        /// It is trusted again.
        case trusted
    }

    /// - Parameters:
    ///   - wall: reads the system clock.
    ///   - steady: milliseconds of a monotonic clock that counts sleep; nil always trusts the
    ///     system clock.
    ///   - report: called with each change, on the thread that reads the clock.
    public init(
        wall: @escaping @Sendable () -> Timestamp, steady: (@Sendable () -> Int64)?,
        report: @escaping @Sendable (Change) -> Void = { _ in }
    ) {
        self.wall = wall
        self.steady = steady
        self.report = report
    }

    /// Milliseconds since the call, by the machine's monotonic clock that counts sleep.
    public static func machineSteady() -> @Sendable () -> Int64 {
        let start = ContinuousClock.now
        return { Int64(start.duration(to: .now) / .milliseconds(1)) }
    }

    /// The current time.
    public var now: Timestamp { read { $0.time(at: $1) } ?? wall() }

    /// The lead of the system clock; nil while it is trusted.
    public var jumpMilliseconds: Int64? {
        read { policy, reading in
            _ = policy.time(at: reading)
            return policy.jumpMilliseconds
        } ?? nil
    }

    /// Trusts the system clock when Apple signed evidence at about its current time. Returns true
    /// when this ends a jump.
    func confirm(signedAt: Timestamp) -> Bool {
        read { $0.confirm(signedAt: signedAt, at: $1) } ?? false
    }

    /// Nil without a monotonic clock. Both clocks are read under the lock: after a wait for the
    /// lock, an earlier reading would be stale.
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
