internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

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

    /// Waits after a failed round, and returns the wait after another failure. After a bulk rebuild
    /// the wait is at least as long as the rebuild took, unless the rebuild replaced `file` (the
    /// current file before the round) or the database was unavailable.
    func wait(
        _ pause: Duration, after error: StoreError, of file: String?, lasted: Duration
    ) async -> Duration {
        let isRebuilding =
            served.health.withLock { $0.isRebuilding }
            && served.ledger.projectionFiles.current() == file
        guard isRebuilding, error.code != .databaseUnavailable else {
            let longest =
                served.ledger.isShared
                ? ProjectionLoop.longestSharedPause : ProjectionLoop.longestPause
            await served.wake.sleep(atMost: min(pause, longest))
            // Appends wake the loop; the pause keeps a persistent failure from spinning.
            try? await Task.sleep(for: ProjectionLoop.shortestPause)
            return min(pause * 2, longest)
        }
        let pause = min(max(pause, lasted), ProjectionLoop.longestRebuildPause)
        if let waiting {
            await waiting(pause)
        } else {
            await waitToRebuild(pause, from: file)
        }
        return pause * 2
    }

    /// Waits until the service stops or another process replaces the current file, `current`.
    func waitToRebuild(_ pause: Duration, from current: String?) async {
        let end = ContinuousClock.now + pause
        while !served.isStopping, !Task.isCancelled,
            served.ledger.projectionFiles.current() == current
        {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return }
            try? await Task.sleep(for: min(left, ProjectionLoop.pollInterval))
        }
    }
}
