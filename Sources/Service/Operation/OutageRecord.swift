public import AppStore
public import Ledger
import Synchronization

/// The last outage check of each app.
public final class OutageRecord: Sendable {
    /// The result of one check.
    public struct Check: Sendable, Equatable {
        public let at: Timestamp
        /// In order of time; empty when nothing looked wrong.
        public let windows: [OutageDetection.Suggestion]
    }

    private struct Name: Hashable {
        let environment: Environment
        let bundleId: BundleId
    }

    private struct State {
        var checks: [Name: Check] = [:]
        var running: Set<Name> = []
    }

    private let state = Mutex(State())

    /// Age of a check after which a status has the log checked again: two rounds of
    /// `RecoveryWatch`, which also asks Apple, where it runs.
    public static let staleMilliseconds = 2 * RecoveryWatch.intervalMilliseconds

    /// The last check of an app; nil before the first.
    public func check(_ environment: Environment, _ app: BundleId) -> Check? {
        state.withLock { $0.checks[Name(environment: environment, bundleId: app)] }
    }

    func note(
        _ environment: Environment, _ app: BundleId, _ windows: [OutageDetection.Suggestion],
        at now: Timestamp
    ) {
        let name = Name(environment: environment, bundleId: app)
        state.withLock { $0.checks[name] = Check(at: now, windows: windows) }
    }

    /// Whether the caller has to check an app now: its last check is old, and no other runs.
    func begin(_ environment: Environment, _ app: BundleId, at now: Timestamp) -> Bool {
        let name = Name(environment: environment, bundleId: app)
        return state.withLock { state in
            if let last = state.checks[name]?.at,
                (0..<OutageRecord.staleMilliseconds).contains(now.milliseconds(since: last))
            {
                return false
            }
            return state.running.insert(name).inserted
        }
    }

    func end(_ environment: Environment, _ app: BundleId) {
        let name = Name(environment: environment, bundleId: app)
        state.withLock { _ = $0.running.remove(name) }
    }
}
