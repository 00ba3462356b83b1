/// How long the projector rests between its steps while the service receives more than it can take
/// in beside the projector. Answers may lag a little, but a notification that is not accepted in
/// time is sent again much later; so the projector takes a small share of contended cores and
/// catches up afterwards, in larger steps.
///
/// Busy cores alone do not show overload: a service that keeps up may use all of them together with
/// its projector. Overload shows in many waiting senders per core.
///
/// The pace never delays callers that wait for a position, and never lets answers lag by more than
/// `longestLag`.
enum ProjectionPace {
    /// Scheduling delay above which the cores are contended.
    static let busyDelay: Duration = .milliseconds(4)
    /// Idle cores below which the projector takes time from others. On two cores, 2,500
    /// notifications a second leave 0.4 to 0.5, and the maximum rate leaves 0.15 to 0.3; when the
    /// disk is the bottleneck, more cores stay idle.
    static let scarceCores = 0.6
    /// Notifications in progress per core above which senders wait. On two cores, 2,500 a second
    /// came to 6 to 10 per core.
    static let manyPerCore = 12.0
    /// Notifications in progress per core at which the rest is longest.
    static let mostPerCore = 20.0
    /// Maximum ratio of rest to work.
    static let restFactor = 31.0
    /// Longest single rest: as long as answers may lag.
    static let longestRest: Duration = longestLag
    /// How often a rest checks whether it is still needed.
    static let lookInterval: Duration = .milliseconds(50)
    /// Lag from which the projector catches up without rest (the service's alert rules fire at 30 s
    /// that last for two minutes).
    static let longestLag: Duration = .seconds(60)

    /// Contention for the cores: 0 where the projector takes nothing from others, up to 1.
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
    ///   - worked: the duration of the step.
    ///   - load: the load of the cores.
    ///   - lag: the age of the oldest unprojected event.
    ///   - isAwaited: whether a caller waits for a position.
    static func rest(
        worked: Duration, load: CoreLoad, lag: Duration, isAwaited: Bool
    ) -> Duration {
        guard lag < longestLag, !isAwaited else { return .zero }
        return min(worked * (restFactor * pressure(load)), longestRest)
    }
}

extension ProjectionLoop {
    /// Rests after a step of the projector while the cores are contended. Returns whether the
    /// service goes on.
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
