import AppStore

/// Decides whether to trust the system clock, by comparing it with a monotonic one. A clock that
/// jumps forward by hours would end periods, send reminders and misdate events, and dates in the
/// log cannot be taken back. Pure: readings come from `ClockWatch`.
///
/// Between two readings both clocks advance equally, so idle periods and sleep do not matter as
/// long as the monotonic clock counts sleep. A clock that goes back is trusted at once: the log
/// keeps its own order.
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
    }

    /// The last trusted reading.
    private var trusted: Reading?
    /// The lead of the system clock over the elapsed time; nil while it is trusted.
    private(set) var jumpMilliseconds: Int64?

    /// The system clock's time, or, while it is ahead, the last trusted time plus the elapsed
    /// monotonic time.
    mutating func time(at reading: Reading) -> Timestamp {
        guard let trusted else { return trust(reading) }
        let passed = reading.steady.milliseconds(since: trusted.steady)
        let expected = trusted.wall.advanced(byMilliseconds: max(0, passed))
        let ahead = reading.wall.milliseconds(since: expected)
        guard ahead > ClockPolicy.tolerableJumpMilliseconds else { return trust(reading) }
        jumpMilliseconds = ahead
        return expected
    }

    /// Trusts the clock again when Apple signed evidence at about the current clock time: that time
    /// has come, and the monotonic clock stood still in a paused virtual machine. Returns true when
    /// this ends a jump.
    ///
    /// - Parameter signedAt: of evidence whose signature was verified to Apple's root.
    mutating func confirm(signedAt: Timestamp, at reading: Reading) -> Bool {
        _ = time(at: reading)
        let behind = reading.wall.milliseconds(since: signedAt)
        guard jumpMilliseconds != nil, behind <= ClockPolicy.tolerableJumpMilliseconds else {
            return false
        }
        _ = trust(reading)
        return true
    }

    private mutating func trust(_ reading: Reading) -> Timestamp {
        trusted = reading
        jumpMilliseconds = nil
        return reading.wall
    }
}
