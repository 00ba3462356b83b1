import AppStore
import Ledger
import LedgerStore

/// Folds completeness from the log: event by event with the projector, or in one pass for a new
/// file. Both give the same result.
struct CompletenessFold: Sendable {
    let ledger: EnvironmentLedger

    // MARK: Event by event

    /// Applies the next events, in order of position; returns the states they added.
    func advance(
        _ completeness: inout Completeness, by events: [RecordedEvent]
    ) async throws(StoreError) -> [Completeness.State] {
        var added: [Completeness.State] = []
        for event in events {
            let attributes = event.attributes
            switch attributes.kind {
            case .sweep:
                guard let sweep = try await sweep(at: event.position) else { continue }
                let state = completeness.take(
                    sweep, in: ledger.environment, position: event.position,
                    receivedAt: event.receivedAt)
                if let state { added.append(state) }
            case .notification:
                guard let signedAt = attributes.signedAt,
                    attributes.notificationType != NotificationType.test.rawValue
                else { continue }
                let state = completeness.take(
                    notificationSigned: signedAt, of: attributes.bundleId,
                    position: event.position, receivedAt: event.receivedAt)
                if let state { added.append(state) }
            default: continue
            }
        }
        return added
    }

    // MARK: In one pass

    /// The completeness of the whole log up to a position. Reads only what follows the first sweep.
    ///
    /// - Parameter goesOn: called before each page; what it throws ends the fold.
    func whole(
        through position: Int64, _ goesOn: () throws(StoreError) -> Void = {}
    ) async throws(StoreError) -> Completeness {
        var completeness = Completeness()
        var apps: Set<BundleId> = []
        var cursor: Int64 = 0
        for stop in try await ledger.log.sweepPositions(through: position) {
            try await applyLateNotifications(
                &completeness, apps, after: cursor, through: stop - 1, goesOn)
            cursor = stop
            guard let sweep = try await sweep(at: stop),
                let event = try await ledger.log.row(at: stop)
            else { continue }
            completeness.take(
                sweep, in: ledger.environment, position: stop, receivedAt: event.receivedAt)
            apps.insert(sweep.bundleId)
        }
        try await applyLateNotifications(
            &completeness, apps, after: cursor, through: position, goesOn)
        return completeness
    }

    private func applyLateNotifications(
        _ completeness: inout Completeness, _ apps: Set<BundleId>, after position: Int64,
        through end: Int64, _ goesOn: () throws(StoreError) -> Void
    ) async throws(StoreError) {
        for app in apps.sorted() {
            var cursor = position
            while cursor < end, let window = completeness.state(of: app)?.window {
                try goesOn()
                let page = try await ledger.log.notifications(
                    of: app, signedFrom: window.from, before: window.through, after: cursor,
                    through: end)
                cursor = page.next
                for late in page.found {
                    completeness.take(
                        notificationSigned: late.delivery.signedAt, of: app,
                        position: late.position, receivedAt: late.delivery.receivedAt)
                }
            }
        }
    }

    /// Nil for evidence that this version does not understand and for damaged or erased evidence:
    /// the certain window is then shorter.
    private func sweep(at position: Int64) async throws(StoreError) -> Sweep? {
        guard let logged = try await ledger.log.event(at: position),
            let bytes = try? logged.originalBytes(), let value = try? JSONValue.parse(bytes)
        else { return nil }
        return Sweep(evidence: value)
    }
}
