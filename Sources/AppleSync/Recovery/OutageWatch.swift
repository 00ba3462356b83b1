public import AppStore
public import AppStoreAPI
import Ledger
import LedgerStore
public import Projection

/// Detects outages of one app from its own log and from Apple's history.
public struct OutageWatch: Sendable {
    let ledger: EnvironmentLedger
    let client: AppStoreServerAPIClient
    let clock: @Sendable () -> Timestamp

    /// Maximum pages of undelivered notifications read.
    static let failurePageCount = 50

    /// Detects outages of the client's app.
    public init(
        ledger: EnvironmentLedger, client: AppStoreServerAPIClient,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.ledger = ledger
        self.client = client
        self.clock = clock
    }

    /// Windows to recover, in order of time; none when nothing looks wrong. Excludes what is
    /// certainly complete, and `swept`, a completed sweep that did not become certain.
    ///
    /// Throws `RecoveryFailure`.
    public func suggestions(
        excluding swept: CompleteWindow? = nil
    ) async throws(RecoveryFailure) -> [OutageDetection.Suggestion] {
        let own: [OutageDetection.Suggestion]
        do throws(StoreError) {
            own = try await OutageWatch.suggestions(
                of: client.bundleId, in: ledger, now: clock(), excluding: swept)
        } catch { throw .store(error) }
        let failed = try await failedDeliveries(
            excluding: [ledger.completeness.swept(client.bundleId), swept].compactMap { $0 })
        return OutageDetection.merged(own + OutageDetection.clipped(failed, now: clock()))
    }

    /// The suggestions about an app from the log alone. Reads up to
    /// `OutageDetection.arrivalCount` arrivals.
    package static func suggestions(
        of app: BundleId, in ledger: EnvironmentLedger, now: Timestamp,
        excluding swept: CompleteWindow? = nil
    ) async throws(StoreError) -> [OutageDetection.Suggestion] {
        let end = try await ledger.lastDelivery(of: app)
        // Deliveries dated in the future come from a wrong clock; looking back from them would miss
        // everything.
        let last = try await ledger.log.lastArrival(of: app, through: now, upTo: end)
        guard let last else { return [] }
        let arrivals = try await ledger.log.arrivals(
            of: app, since: last.advanced(byMilliseconds: -OutageDetection.lookBackMilliseconds),
            through: now, upTo: end, limit: OutageDetection.arrivalCount)
        return OutageDetection.suggestions(
            arrivals, now: now, swept: all(swept, of: app, in: ledger, now: now))
    }

    /// The swept windows: the certain one, even where version 1 has ended it, and `swept`. No
    /// sweep confirms what came before the last version 1 notification or Apple's history: a window
    /// that reaches back so far counts from the beginning, or a silence or late deliveries of that
    /// time would be suspected forever.
    private static func all(
        _ swept: CompleteWindow?, of app: BundleId, in ledger: EnvironmentLedger, now: Timestamp
    ) -> [CompleteWindow] {
        let certain = ledger.completeness.state(of: app) { $0.window != nil }
        let oldest = now.advanced(
            byMilliseconds: NotificationHistory.marginMilliseconds
                - NotificationHistory.milliseconds(in: ledger.environment))
        let bound = max(certain?.versionOneAt ?? oldest, oldest)
        return [certain?.window, swept].compactMap { $0 }.map { window in
            let from = window.from <= bound ? Timestamp(milliseconds: .min) : window.from
            return CompleteWindow(from: from, through: window.through)
        }
    }

    /// What Apple could not deliver, neither swept nor in the log: notifications that no sweep can
    /// confirm are still fetched, and are suspected until then.
    private func failedDeliveries(
        excluding swept: [CompleteWindow]
    ) async throws(RecoveryFailure) -> [OutageDetection.Suggestion] {
        let now = clock()
        var request = NotificationHistoryRequest()
        request.startDate = now.advanced(byMilliseconds: -OutageDetection.lookBackMilliseconds)
        request.endDate = now
        request.onlyFailures = true
        var failed: [UndeliveredNotification] = []
        let pages = client.notificationHistoryPages(request, in: ledger.environment)
            .prefix(OutageWatch.failurePageCount)
        do throws(APIFailure) {
            for try await page in pages {
                failed += (page.value.notificationHistory ?? []).compactMap {
                    UndeliveredNotification($0)
                }
            }
        } catch { throw .api(error) }
        var missing: [Timestamp] = []
        for notification in failed {
            guard let signed = notification.signedDate,
                !swept.contains(where: { $0.from <= signed && signed < $0.through })
            else { continue }
            let key = EventKey.make(.notification, [notification.uuid])
            do throws(StoreError) {
                if try await ledger.log.event(key: key) == nil { missing.append(signed) }
            } catch { throw .store(error) }
        }
        return OutageDetection.suggestions(undelivered: missing)
    }
}
