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

    /// Notes that evidence was signed at a time, which has come, and trusts the system clock when
    /// that is at about its current time (`ClockPolicy.confirm`).
    func confirm(signedAt: Timestamp, byApple: Bool) {
        _ = read { $0.confirm(signedAt: signedAt, byApple: byApple, at: $1) }
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

/// Decides whether to trust the system clock, by comparing it with a monotonic one. A clock that
/// jumps forward by hours would end periods, send reminders and misdate events, and dates in the
/// log cannot be taken back. Pure: readings come from `ClockWatch`.
///
/// Between two readings both clocks advance equally, so idle periods and sleep do not matter as
/// long as the monotonic clock counts sleep. A clock that goes back is trusted at once: the log
/// keeps its own order. A jump forward that ends within an hour of the time expected from
/// `reference` is trusted, too: the clock had been set back, and is now corrected.
struct ClockPolicy: Sendable, Equatable {
    /// Tolerated lead of the clock between two readings, milliseconds: corrections on a running
    /// machine are smaller.
    static let tolerableJumpMilliseconds: Int64 = 3_600_000

    /// Both clocks at one moment.
    struct Reading: Sendable, Equatable {
        /// The system clock.
        var wall: Timestamp
        /// Time since an arbitrary origin, by a monotonic clock.
        var steady: Timestamp

        /// The system clock's time at a later reading if both clocks advanced equally.
        func time(at later: Reading) -> Timestamp {
            wall.advanced(byMilliseconds: max(0, later.steady.milliseconds(since: steady)))
        }
    }

    /// The last trusted reading.
    private var trusted: Reading?
    /// The first reading; once evidence was signed, the latest time that a signature proves.
    private var reference: Reading?
    /// Whether a signature gave the reference.
    private var isProven = false
    /// The lead of the system clock over the elapsed time; nil while it is trusted.
    private(set) var jumpMilliseconds: Int64?

    /// The system clock's time, or, while it is ahead, the last trusted time plus the elapsed
    /// monotonic time.
    mutating func time(at reading: Reading) -> Timestamp {
        guard let trusted, let reference else { return trust(reading) }
        let expected = trusted.time(at: reading)
        let ahead = reading.wall.milliseconds(since: expected)
        let bound = ClockPolicy.tolerableJumpMilliseconds
        let drift = reading.wall.milliseconds(since: reference.time(at: reading))
        guard ahead > bound, !(-bound...bound).contains(drift) else { return trust(reading) }
        jumpMilliseconds = ahead
        return expected
    }

    /// Trusts the clock when evidence was signed at about the current clock time, or by Apple
    /// later: that time has come, and a monotonic clock that says otherwise stood still in a paused
    /// virtual machine.
    ///
    /// A signature proves only that its time has passed, so an older one never replaces a later
    /// `reference`. A time over an hour ahead is ignored unless Apple signed it: a wrong one would
    /// remain the reference until it has come.
    ///
    /// - Parameters:
    ///   - signedAt: of evidence whose signature was verified to a trusted root.
    ///   - byApple: whether that is Apple's root.
    mutating func confirm(signedAt: Timestamp, byApple: Bool, at reading: Reading) {
        _ = time(at: reading)
        let bound = ClockPolicy.tolerableJumpMilliseconds
        guard reading.wall.milliseconds(since: signedAt) <= bound,
            byApple || signedAt.milliseconds(since: reading.wall) <= bound
        else { return }
        let known = isProven ? reference?.time(at: reading) : nil
        if known.map({ $0 < signedAt }) ?? true {
            reference = Reading(wall: signedAt, steady: reading.steady)
            isProven = true
        }
        _ = trust(reading)
    }

    private mutating func trust(_ reading: Reading) -> Timestamp {
        trusted = reading
        reference = reference ?? reading
        jumpMilliseconds = nil
        return reading.wall
    }
}
