internal import LedgerStore
internal import Projection
internal import SQLiteStore
import Synchronization

/// Whether events can be accepted.
extension ServedLedger {
    /// How old may be what is known of the log's lock when somebody asks whether events can be
    /// accepted: many who ask cost no more than one.
    static let lookInterval: Duration = .seconds(1)
    /// How long one transaction may take before the log counts as one that cannot be written: twice
    /// as long as it waits for a lock. A disk that answers no synchronisation fails nothing.
    static let stallLimit: Duration = .seconds(10)
    /// Pause between two tries of a log that could not be written; doubles up to the longest. Each
    /// try that fails opens the file anew, before whoever waits for it.
    static let shortestTryPause: Duration = .milliseconds(250)
    static let longestTryPause: Duration = .seconds(2)

    /// The code of what keeps events from being accepted; nil when nothing does. Looks at the log
    /// itself, whose lock another process may hold: that takes as long as an append would wait. The
    /// first look after a start writes.
    public func obstacleCode() async -> String? { await obstacleCode(at: .now) }

    func obstacleCode(at now: ContinuousClock.Instant) async -> String? {
        if let obstacle { return obstacle.code.rawValue }
        if isStopping { return ServingError.stopping.code }
        if isStalled(at: now) { return ServingError.appendStalled.code }
        await lookIfDue(at: now)
        if let obstacle { return obstacle.code.rawValue }
        do throws(StoreError) {
            _ = try await ledger.log.head()
            // Without it nothing refused is kept, and nothing is known to be delivered.
            try ledger.operations.requireFile()
            return nil
        } catch { return error.code.rawValue }
    }

    /// Whether the log has been writing one transaction for too long.
    func isStalled(at now: ContinuousClock.Instant) -> Bool {
        guard let since = ledger.log.writingSince else { return false }
        return since.duration(to: now) >= ServedLedger.stallLimit
    }

    /// Tries the log again and again while it cannot be written: the next delivery may be hours
    /// away. Runs until the service stops, beside the projector, which reads on meanwhile.
    func tryWhileObstructed() async {
        var pause = ServedLedger.shortestTryPause
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            await probe()
            pause =
                obstacle == nil
                ? ServedLedger.shortestTryPause : min(pause * 2, ServedLedger.longestTryPause)
        }
    }

    /// Looks whether the log can be written, after an append failed.
    func probe() async {
        guard obstacle != nil else { return }
        await look()
    }

    /// Looks again, unless somebody did or wrote a moment ago. Whoever writes now will tell, and
    /// would be waited for: a look waits until nothing is waiting to be written.
    private func lookIfDue(at now: ContinuousClock.Instant) async {
        guard ledger.log.waiting.eventCount == 0 else { return }
        let isDue = health.withLock { health in
            if let last = health.lookedAt, last.duration(to: now) < ServedLedger.lookInterval {
                return false
            }
            health.lookedAt = now
            return true
        }
        if isDue { await look() }
    }

    private func look() async {
        // After a start nothing says yet whether the disk has room: one COMMIT does.
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
