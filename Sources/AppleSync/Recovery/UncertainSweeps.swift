import AppStore
package import Ledger
import Synchronization

/// Completed sweeps whose windows did not become certain, because something in them could not be
/// taken in, or Apple sends version 1. They are not fetched again every few minutes. Kept in memory
/// only: losing them costs one sweep.
package final class UncertainSweeps: Sendable {
    package init() {}

    package struct Name: Hashable, Sendable {
        let environment: Environment
        let bundleId: BundleId

        package init(environment: Environment, bundleId: BundleId) {
            self.environment = environment
            self.bundleId = bundleId
        }
    }

    /// One contiguous window.
    private struct Entry {
        var swept: CompleteWindow
        /// When to sweep again, from its beginning at the latest.
        let againAt: Timestamp
    }

    private let entries: Mutex<[Name: Entry]> = Mutex([:])

    /// Interval of full repetitions: refused evidence may become acceptable when a configuration is
    /// corrected or Apple repairs a response.
    static let againMilliseconds: Int64 = 24 * 3_600_000

    /// The swept window, while it still counts.
    package func window(_ name: Name, at now: Timestamp) -> CompleteWindow? {
        guard let entry = entries.withLock({ $0[name] }) else { return nil }
        return entry.againAt <= now ? nil : entry.swept
    }

    /// Where the repetition of a sweep begins, once it is due.
    package func due(_ name: Name, at now: Timestamp) -> Timestamp? {
        entries.withLock { $0[name] }.flatMap { $0.againAt <= now ? $0.swept.from : nil }
    }

    /// Records a sweep that was requested at `now` and ended at `end`.
    package func note(
        _ name: Name, _ swept: CompleteWindow,
        _ reservation: RecoveryReport.Reservation?, at now: Timestamp, endedAt end: Timestamp
    ) {
        entries.withLock { entries in
            // A repetition that was due replaces its entry, even if Apple's history begins later by
            // now.
            if let entry = entries[name], entry.againAt <= now { entries[name] = nil }
            guard reservation != nil else {
                // One that began later leaves what came before it uncertain.
                if let entry = entries[name], entry.swept.from < swept.from { return }
                entries[name] = nil
                return
            }
            if var entry = entries[name], entry.swept.from < swept.from,
                swept.from <= entry.swept.through
            {
                entry.swept.through = max(entry.swept.through, swept.through)
                entries[name] = entry
            } else {
                let again = end.advanced(byMilliseconds: UncertainSweeps.againMilliseconds)
                entries[name] = Entry(swept: swept, againAt: again)
            }
        }
    }
}
