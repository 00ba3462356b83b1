/// How long the projector rests between its steps while the service is busy. Answers may be a little
/// behind the log, but a delivery that is not taken in time is sent again much later: while others
/// wait for a core, the projector takes a small share of them, and catches up afterwards, many events
/// at a time.
///
/// Nobody who waits for a position is made to wait for this, and answers are never left further
/// behind than `longestLag` by it.
enum ProjectionPace {
    /// Where the cores take longer than this to begin something, others wait for them. On two cores,
    /// 2,500 notifications a second came to 0.2 to 0.8 ms, as many as are taken to 1.4 to 2.9 ms.
    static let busyDelay: Duration = .milliseconds(1)
    /// Rests for this many times as long as it worked where they take twice as long, or longer; for
    /// less in between.
    static let restFactor = 7.0
    /// One rest at most: no longer than answers may be behind.
    static let longestRest: Duration = longestLag
    /// How often a rest looks whether it is still called for.
    static let lookInterval: Duration = .milliseconds(50)
    /// Answers as far behind as this are brought up without rest (the service's alert rules speak at
    /// 30 s that last for two minutes).
    static let longestLag: Duration = .seconds(60)

    /// The rest after a step; zero for none.
    ///
    /// - Parameters:
    ///   - worked: how long the step took.
    ///   - delay: how long the cores take to begin something.
    ///   - lag: how long the oldest event that is not in the answers has been waiting.
    ///   - isAwaited: whether somebody waits for a position.
    static func rest(
        worked: Duration, delay: Duration, lag: Duration, isAwaited: Bool
    ) -> Duration {
        guard delay > busyDelay, lag < longestLag, !isAwaited else { return .zero }
        let share = min(1, (delay - busyDelay) / busyDelay)
        return min(worked * (restFactor * share), longestRest)
    }
}

extension ProjectionLoop {
    /// Rests after a step of the projector for as long as the cores are busy with others; whether the
    /// service goes on.
    func rest(worked: Duration) async -> Bool {
        let start = ContinuousClock.now
        while !served.isStopping, !Task.isCancelled {
            let rest = ProjectionPace.rest(
                worked: worked, delay: cores.delay, lag: served.lag.time,
                isAwaited: served.board.isAwaited)
            let left = rest - start.duration(to: .now)
            guard left > .zero else { return true }
            try? await Task.sleep(for: min(left, ProjectionPace.lookInterval))
        }
        return false
    }
}
