internal import LedgerStore
internal import Projection
import Synchronization

/// Whether events can be accepted.
extension ServedLedger {
    /// Maximum age of the last lock check when readiness is queried; bounds the cost of frequent
    /// probes.
    static let checkInterval: Duration = .seconds(1)
    /// Duration of one transaction after which the log counts as not writable: twice its lock
    /// timeout. A disk that does not answer a sync reports no error.
    static let stallLimit: Duration = .seconds(10)
    /// Pause between two probes of a log that could not be written; doubles up to the longest. Each
    /// failed probe reopens the file before an append has to.
    static let shortestTryPause: Duration = .milliseconds(250)
    static let longestTryPause: Duration = .seconds(2)
    /// The same for a log in a database.
    static let longestSharedTryPause: Duration = .milliseconds(500)

    /// The code of the reason why events cannot be accepted; nil when they can. Checks the log;
    /// while another process holds its lock, that takes as long as an append would wait. The first
    /// check after a start writes.
    public func obstacleCode() async -> String? { await obstacleCode(at: .now) }

    func obstacleCode(at now: ContinuousClock.Instant) async -> String? {
        if let obstacle { return obstacle.code.rawValue }
        if isStopping { return ServingError.stopping.code }
        if isStalled(at: now) { return ServingError.appendStalled.code }
        await checkIfDue(at: now)
        if let obstacle { return obstacle.code.rawValue }
        do throws(StoreError) {
            _ = try await ledger.log.head()
            // Without the operations file no refused evidence is kept and no delivery is recorded.
            try ledger.operations.requireUsable()
            return nil
        } catch { return error.code.rawValue }
    }

    /// Whether the log has been writing one transaction for too long.
    func isStalled(at now: ContinuousClock.Instant) -> Bool {
        guard let since = ledger.log.writingSince else { return false }
        return since.duration(to: now) >= ServedLedger.stallLimit
    }

    /// Probes the log repeatedly while it cannot be written: the next delivery may be hours away.
    /// Runs until the service stops, concurrently with the projector, which continues reading.
    func tryWhileObstructed() async {
        let longest =
            ledger.isShared ? ServedLedger.longestSharedTryPause : ServedLedger.longestTryPause
        var pause = ServedLedger.shortestTryPause
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            await probe()
            pause =
                obstacle == nil
                ? ServedLedger.shortestTryPause : min(pause * 2, longest)
        }
    }

    /// Checks whether the log can be written, after an append failed.
    func probe() async {
        guard obstacle != nil else { return }
        await checkLog()
    }

    /// Checks again, unless a check or a write just happened. A pending write reports the result
    /// itself, and a check would wait for it.
    private func checkIfDue(at now: ContinuousClock.Instant) async {
        guard ledger.log.waiting.eventCount == 0 else { return }
        let isDue = health.withLock { health in
            if let last = health.checkedAt, last.duration(to: now) < ServedLedger.checkInterval {
                return false
            }
            health.checkedAt = now
            return true
        }
        if isDue { await checkLog() }
    }

    private func checkLog() async {
        // After a start it is unknown whether the disk has room; one COMMIT shows it.
        let (version, isCommit) = health.withLock {
            ($0.appendVersion, $0.append != nil || !$0.hasCommitted)
        }
        do throws(StoreError) {
            if isCommit {
                try await ledger.log.probeCommit()
            } else {
                try await ledger.log.probeLock()
            }
            note(append: nil, asOf: version, isCommit: isCommit)
        } catch {
            note(append: error, asOf: version)
        }
    }
}
