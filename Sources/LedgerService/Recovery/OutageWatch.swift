public import AppStore
public import AppStoreAPI
import Ledger
import LedgerStore

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
    /// complete is left out.
    ///
    /// Throws `RecoveryFailure` of Apple's part; what the log alone says is never lost by it, see
    /// `ownSuggestions`.
    public func suggestions() async throws(RecoveryFailure) -> [OutageDetection.Suggestion] {
        let own: [OutageDetection.Suggestion]
        do throws(StoreError) { own = try await ownSuggestions() } catch { throw .store(error) }
        return open(OutageDetection.merged(own + (try await failedDeliveries())))
    }

    /// What the log alone says.
    func ownSuggestions() async throws(StoreError) -> [OutageDetection.Suggestion] {
        guard let last = try await ledger.log.lastArrival(of: client.bundleId) else { return [] }
        let arrivals = try await ledger.log.arrivals(
            of: client.bundleId,
            since: last.advanced(byMilliseconds: -OutageDetection.lookBackMilliseconds),
            limit: OutageDetection.arrivalCount)
        return open(OutageDetection.suggestions(arrivals, now: clock()))
    }

    private func open(
        _ suggestions: [OutageDetection.Suggestion]
    ) -> [OutageDetection.Suggestion] {
        let state = ledger.completeness.state(of: client.bundleId)
        return OutageDetection.open(suggestions, from: state?.from, through: state?.through)
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
