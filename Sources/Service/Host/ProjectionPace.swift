/// How long the projector rests between its steps while more is sent to the service than it can take
/// with the projector beside it. Answers may be a little behind the log, but a delivery that is not
/// taken in time is sent again much later: while others wait for a core, the projector takes a small
/// share of them, and catches up afterwards, many events at a time.
///
/// Busy cores alone say little: a service that takes everything in time, and its projector, may use
/// them up together. It is that senders wait, many for each core, that tells of more than can be
/// taken.
///
/// Nobody who waits for a position is made to wait for this, and answers are never left further
/// behind than `longestLag` by it.
enum ProjectionPace {
    /// Where the cores take longer than this to begin something, others wait for them.
    static let busyDelay: Duration = .milliseconds(4)
    /// With fewer cores free than this, the projector takes from others what it uses. On two cores,
    /// 2,500 notifications a second leave 0.4 to 0.5, as many as can be taken 0.15 to 0.3; where it is
    /// a disk that holds senders up, more stay free.
    static let scarceCores = 0.6
    /// Where more notifications are being taken for each core than this, senders wait. On two cores,
    /// 2,500 a second came to 6 to 10 for each.
    static let manyPerCore = 12.0
    /// Where this many are, the projector rests as long as it ever does.
    static let mostPerCore = 20.0
    /// Rests for this many times as long as it worked at most.
    static let restFactor = 31.0
    /// One rest at most: no longer than answers may be behind.
    static let longestRest: Duration = longestLag
    /// How often a rest looks whether it is still called for.
    static let lookInterval: Duration = .milliseconds(50)
    /// Answers as far behind as this are brought up without rest (the service's alert rules speak at
    /// 30 s that last for two minutes).
    static let longestLag: Duration = .seconds(60)

    /// How much others need the cores: from 0, where the projector takes nothing from them, to 1.
    static func pressure(_ load: CoreLoad) -> Double {
        let waited = (load.delay - busyDelay) / busyDelay
        var taken = 0.0
        if let use = load.use, use.isMostlyOwn, use.freeCores < scarceCores {
            let perCore = load.notificationCount / Double(use.coreCount)
            taken = (perCore - manyPerCore) / (mostPerCore - manyPerCore)
        }
        return min(1, max(0, waited, taken))
    }

    /// The rest after a step; zero for none.
    ///
    /// - Parameters:
    ///   - worked: how long the step took.
    ///   - load: what the cores have to do.
    ///   - lag: how long the oldest event that is not in the answers has been waiting.
    ///   - isAwaited: whether somebody waits for a position.
    static func rest(
        worked: Duration, load: CoreLoad, lag: Duration, isAwaited: Bool
    ) -> Duration {
        guard lag < longestLag, !isAwaited else { return .zero }
        return min(worked * (restFactor * pressure(load)), longestRest)
    }
}

extension ProjectionLoop {
    /// Rests after a step of the projector for as long as others need the cores; whether the service
    /// goes on.
    func rest(worked: Duration) async -> Bool {
        let start = ContinuousClock.now
        while !served.isStopping, !Task.isCancelled {
            let rest = ProjectionPace.rest(
                worked: worked, load: cores.load, lag: served.lag.time,
                isAwaited: served.board.isAwaited)
            let left = rest - start.duration(to: .now)
            guard left > .zero else { return true }
            try? await Task.sleep(for: min(left, ProjectionPace.lookInterval))
        }
        return false
    }
}
