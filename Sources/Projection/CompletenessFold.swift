import AppStore
import Ledger
import LedgerStore

/// Folds completeness from the log: event by event with the projector, or in one pass for a new
/// file. Both give the same result.
struct CompletenessFold: Sendable {
    let ledger: EnvironmentLedger

    // MARK: Event by event

    /// Applies the next events, in order of position; returns the states they added or changed.
    func advance(
        _ completeness: inout Completeness, by events: [RecordedEvent]
    ) async throws(StoreError) -> [Completeness.State] {
        var added: [Completeness.State] = []
        for event in events {
            let attributes = event.attributes
            switch attributes.kind {
            case .sweep:
                guard let sweep = try await sweep(at: event.position)?.sweep else { continue }
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
            case .notificationV1:
                // One from a file or the quarantine does not say when Apple sent it.
                guard attributes.source == .webhook else { continue }
                let state = completeness.take(
                    versionOneDelivered: event.receivedAt, of: attributes.bundleId,
                    position: event.position)
                if let state { added.append(state) }
            default: continue
            }
        }
        return added
    }

    // MARK: In one pass

    /// The completeness of the whole log up to a position.
    ///
    /// - Parameter report: receives the position reached, before each read; throws to end it.
    func whole(
        through position: Int64, report: (_ position: Int64) throws(StoreError) -> Void
    ) async throws(StoreError) -> Completeness {
        var completeness = Completeness()
        var apps: Set<BundleId> = []
        var cursor: Int64 = 0
        for stop in try await ledger.log.sweepPositions(through: position) {
            try await applyNotifications(
                &completeness, apps, after: cursor, through: stop - 1, report)
            cursor = stop
            try report(stop)
            guard let (sweep, receivedAt) = try await sweep(at: stop) else { continue }
            completeness.take(
                sweep, in: ledger.environment, position: stop, receivedAt: receivedAt)
            apps.insert(sweep.bundleId)
        }
        try await applyNotifications(&completeness, apps, after: cursor, through: position, report)
        return completeness
    }

    /// - Parameter apps: those that were swept.
    private func applyNotifications(
        _ completeness: inout Completeness, _ apps: Set<BundleId>, after position: Int64,
        through end: Int64, _ report: (Int64) throws(StoreError) -> Void
    ) async throws(StoreError) {
        var cursor = position
        while cursor < end {
            try report(cursor)
            let windows = apps.compactMap { completeness.state(of: $0)?.window }
            let page = try await ledger.log.notifications(
                signedIn: CompleteWindow(covering: windows), after: cursor, through: end)
            cursor = page.next
            for found in page.found {
                guard let signedAt = found.signedAt else {
                    completeness.take(
                        versionOneDelivered: found.receivedAt, of: found.bundleId,
                        position: found.position)
                    continue
                }
                completeness.take(
                    notificationSigned: signedAt, of: found.bundleId, position: found.position,
                    receivedAt: found.receivedAt)
            }
        }
    }

    /// Nil for evidence that this version does not understand and for damaged or erased evidence:
    /// the certain window is then shorter.
    private func sweep(
        at position: Int64
    ) async throws(StoreError) -> (sweep: Sweep, receivedAt: Timestamp)? {
        guard let logged = try await ledger.log.event(at: position),
            let bytes = try? logged.originalBytes(), let value = try? JSONValue.parse(bytes),
            let sweep = Sweep(evidence: value)
        else { return nil }
        return (sweep, logged.event.receivedAt)
    }
}
