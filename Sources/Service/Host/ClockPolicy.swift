import AppStore

/// Whether the system's clock can be gone by, read beside one that cannot be set: what jumped forward
/// by hours would end periods, send reminders and date events that have not come about, and no log can
/// take a date back. Pure: readings come from `ClockWatch`.
///
/// Between two readings both clocks pass the same time, however long that is: a quiet service and a
/// machine that slept are nothing to it, as long as the steady clock counts sleep. A clock that goes
/// back is gone by at once: the log keeps its own order then.
struct ClockPolicy: Sendable, Equatable {
    /// How far the clock may run ahead between two readings, milliseconds: being set right moves it by
    /// less, once a machine runs.
    static let tolerableJumpMilliseconds: Int64 = 3_600_000

    /// Both clocks at one moment.
    struct Reading: Sendable, Equatable {
        /// What the system's clock says.
        var wall: Timestamp
        /// The time since some moment, by a clock that is never set.
        var steady: Timestamp
    }

    /// The last reading that was gone by.
    private var trusted: Reading?
    /// By how much the clock is ahead of the time that has passed; nil while it is gone by.
    private(set) var jumpMilliseconds: Int64?

    /// The time to go by: the clock's, or while that is ahead the time that has passed by the steady
    /// clock since it was not.
    mutating func time(at reading: Reading) -> Timestamp {
        guard let trusted else { return trust(reading) }
        let passed = reading.steady.milliseconds(since: trusted.steady)
        let expected = trusted.wall.advanced(byMilliseconds: max(0, passed))
        let ahead = reading.wall.milliseconds(since: expected)
        guard ahead > ClockPolicy.tolerableJumpMilliseconds else { return trust(reading) }
        jumpMilliseconds = ahead
        return expected
    }

    /// Apple signed something about when the clock says that it is, so that time has come, and the
    /// steady clock stood still meanwhile: a virtual machine was paused. True when that ends a doubt.
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
