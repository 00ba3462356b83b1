public import AppStore
public import AppStoreAPI
import Ledger
import LedgerStore
public import Projection
internal import SQLiteStore

/// Looks for outages of one app: in its own log, and at Apple's.
public struct OutageWatch: Sendable {
    let ledger: EnvironmentLedger
    let client: AppStoreServerAPIClient
    let clock: @Sendable () -> Timestamp

    /// Pages of undelivered notifications looked at.
    static let failurePageCount = 50

    /// - Parameter client: asks for the app that is looked at.
    public init(
        ledger: EnvironmentLedger, client: AppStoreServerAPIClient,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.ledger = ledger
        self.client = client
        self.clock = clock
    }

    /// Windows to recover, in order of time; none when nothing looks wrong. What is certain to be
    /// complete is left out, and so is what was swept otherwise.
    ///
    /// - Parameter swept: what was swept to its end without becoming certain.
    ///
    /// Throws `RecoveryFailure` of Apple's part; what the log alone says is never lost by it, see
    /// `ownSuggestions`.
    public func suggestions(
        besides swept: OutageDetection.Swept? = nil
    ) async throws(RecoveryFailure) -> [OutageDetection.Suggestion] {
        let own: [OutageDetection.Suggestion]
        do throws(StoreError) { own = try await ownSuggestions(besides: swept) } catch {
            throw .store(error)
        }
        let failed = OutageDetection.clipped(
            OutageDetection.open(try await failedDeliveries(), all(swept)), now: clock())
        return OutageDetection.merged(own + failed)
    }

    /// What the log alone says.
    func ownSuggestions(
        besides swept: OutageDetection.Swept? = nil
    ) async throws(StoreError) -> [OutageDetection.Suggestion] {
        // Deliveries dated in the future come of a wrong clock: looking back from them would look
        // past everything.
        let (app, now) = (client.bundleId, clock())
        guard let last = try await ledger.log.lastArrival(of: app, through: now) else { return [] }
        let arrivals = try await ledger.log.arrivals(
            of: app, since: last.advanced(byMilliseconds: -OutageDetection.lookBackMilliseconds),
            through: now, limit: OutageDetection.arrivalCount)
        return OutageDetection.suggestions(arrivals, now: now, swept: all(swept))
    }

    /// What was looked into: what is certain, and what else.
    private func all(_ swept: OutageDetection.Swept?) -> [OutageDetection.Swept] {
        let certain = ledger.completeness.state(of: client.bundleId).map {
            OutageDetection.Swept(from: $0.from, through: $0.through)
        }
        return [certain, swept].compactMap { $0 }
    }

    private func failedDeliveries() async throws(RecoveryFailure) -> [OutageDetection.Suggestion] {
        let now = clock()
        var question = NotificationHistoryRequest()
        question.startDate = now.advanced(byMilliseconds: -OutageDetection.lookBackMilliseconds)
        question.endDate = now
        question.onlyFailures = true
        var signed: [Timestamp] = []
        var pages = client.notificationHistoryPages(
            question, in: ledger.environment
        ).makeAsyncIterator()
        var pageCount = 0
        do throws(APIFailure) {
            while pageCount < OutageWatch.failurePageCount, let page = try await pages.next() {
                pageCount += 1
                for item in page.value.notificationHistory ?? [] {
                    guard let undelivered = UndeliveredNotification(item),
                        let date = undelivered.signedDate
                    else { continue }
                    signed.append(date)
                }
            }
        } catch {
            throw .api(error)
        }
        return OutageDetection.suggestions(undelivered: signed)
    }
}
