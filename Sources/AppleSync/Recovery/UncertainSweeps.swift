import AppStore
package import Ledger
import Synchronization

/// Windows that were swept to their end and did not become certain all the same: something in
/// them could not be taken in. What certainty lacks is no reason to fetch them again every few minutes. Kept for as long as the process lives:
/// losing it costs one sweep.
package final class UncertainSweeps: Sendable {

    package init() {
    }
    package struct Name: Hashable, Sendable {
        let environment: Environment
        let bundleId: BundleId

        package init(environment: Environment, bundleId: BundleId) {
            self.environment = environment
            self.bundleId = bundleId
        }
    }

    /// What lies in one piece.
    private struct Entry {
        var swept: OutageDetection.Swept
        /// When it is worth beginning again from what is certain.
        let againAt: Timestamp
    }

    private let entries: Mutex<[Name: Entry]> = Mutex([:])

    /// What was refused once may be acceptable later: a configuration is corrected, Apple repairs an
    /// answer. Until then one whole look in a day is enough.
    static let againMilliseconds: Int64 = 24 * 3_600_000

    /// What was swept, if that counts at this time.
    package func window(_ name: Name, at now: Timestamp) -> OutageDetection.Swept? {
        guard let entry = entries.withLock({ $0[name] }) else { return nil }
        return entry.againAt <= now ? nil : entry.swept
    }

    /// Notes the end of a sweep.
    package func note(
        _ name: Name, _ swept: OutageDetection.Swept,
        _ reservation: RecoveryReport.Reservation?, at now: Timestamp
    ) {
        entries.withLock { entries in
            guard reservation != nil else {
                entries[name] = nil
                return
            }
            if var entry = entries[name], entry.swept.from < swept.from,
                swept.from <= entry.swept.through
            {
                entry.swept.through = max(entry.swept.through, swept.through)
                entries[name] = entry
            } else {
                let again = now.advanced(byMilliseconds: UncertainSweeps.againMilliseconds)
                entries[name] = Entry(swept: swept, againAt: again)
            }
        }
    }
}
