/// The projector's duty cycle: it rests after each step, so that intake has the cores at a constant
/// share of the time, and works off what has accumulated in larger, cheaper steps. A notification
/// that is not accepted in time is sent again much later; answers may lag a little.
///
/// A rest never delays callers that wait for a position, and never lets answers lag by more than
/// `longestLag`.
enum ProjectionPace {
    /// Share of the time that the projector works while there is work.
    static let workShare = 0.5
    /// Lag from which the projector catches up without rest (the service's alert rules fire at 30 s
    /// that last for two minutes).
    static let longestLag: Duration = .seconds(60)
    /// How often a rest checks whether it is still needed.
    static let checkInterval: Duration = .milliseconds(50)

    /// The rest after a step; zero for none.
    ///
    /// - Parameters:
    ///   - lag: the age of the oldest unprojected event.
    ///   - isAwaited: whether a caller waits for a position.
    static func rest(worked: Duration, lag: Duration, isAwaited: Bool) -> Duration {
        guard lag < longestLag, !isAwaited else { return .zero }
        return worked * ((1 - workShare) / workShare)
    }
}

extension ProjectionLoop {
    /// Rests after a step of the projector. Returns whether the service goes on.
    func rest(worked: Duration) async -> Bool {
        let start = ContinuousClock.now
        while !served.isStopping, !Task.isCancelled {
            let rest = ProjectionPace.rest(
                worked: worked, lag: served.lag.time, isAwaited: served.board.isAwaited)
            let left = rest - start.duration(to: .now)
            guard left > .zero else { return true }
            try? await Task.sleep(for: min(left, ProjectionPace.checkInterval))
        }
        return false
    }
}
