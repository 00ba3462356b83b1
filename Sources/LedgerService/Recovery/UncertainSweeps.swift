import AppStore
import Synchronization

/// Windows that were swept to their end and did not become certain all the same: they lie beyond a
/// gap that Apple does not tell any more, or something in them could not be taken in. What certainty
/// lacks is no reason to fetch them again every few minutes. Kept for as long as the process lives:
/// losing it costs one sweep.
final class UncertainSweeps: Sendable {
    struct Name: Hashable, Sendable {
        let environment: Environment
        let bundleId: BundleId
    }

    /// What lies in one piece, by signedDate: `[from, through)`.
    struct Window: Equatable, Sendable {
        var from: Timestamp
        var through: Timestamp
        /// When it is worth beginning again from what is certain; nil: never, as long as nothing
        /// else makes more certain.
        var againAt: Timestamp?
    }

    private let windows: Mutex<[Name: Window]> = Mutex([:])

    /// What was refused once may be acceptable later: a configuration is corrected, Apple repairs an
    /// answer. Until then one whole look in a day is enough.
    static let againMilliseconds: Int64 = 24 * 3_600_000

    /// What was swept, if that counts at this time.
    func window(_ name: Name, at now: Timestamp) -> Window? {
        windows.withLock { $0[name] }.flatMap { window in
            window.againAt.map { $0 <= now } ?? false ? nil : window
        }
    }

    /// Notes the end of a sweep of `[from, through)`; whether that is news: the first time that
    /// something keeps what was swept from being certain.
    func note(
        _ name: Name, from: Timestamp, through: Timestamp,
        _ reservation: RecoveryReport.Reservation?, at now: Timestamp
    ) -> Bool {
        windows.withLock { windows in
            guard let reservation else {
                windows[name] = nil
                return false
            }
            let again = now.advanced(byMilliseconds: UncertainSweeps.againMilliseconds)
            guard let last = windows[name], last.from < from, from <= last.through else {
                let isNews = windows[name] == nil
                windows[name] = Window(
                    from: from, through: through, againAt: reservation == .gap ? nil : again)
                return isNews
            }
            windows[name] = Window(
                from: last.from, through: max(through, last.through), againAt: last.againAt)
            return false
        }
    }
}
