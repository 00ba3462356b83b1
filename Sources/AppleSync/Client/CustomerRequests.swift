import AppStore
import AppStoreAPI
import Intake
import Ledger
import LedgerStore
internal import Projection
import Signing

/// Requests everything about one customer from Apple, and takes the responses into the ledger of
/// the environment they name. Histories resume at their last cursor, so that a repetition fetches
/// only what is new or changed.
package struct CustomerRequests: Sendable {
    let client: AppStoreServerAPIClient
    let ledgers: EnvironmentLedgers
    /// Any id of the customer.
    let id: String
    package private(set) var tally = RequestTally()
    /// The environments to request from; after the first response, the one that responded.
    private var choice: EnvironmentChoice
    /// The ledger's environment; fixed by the first response.
    private(set) var environment: Environment?
    /// The end of the environment's log before the first request, or when the first response named
    /// the environment.
    private var start: Int64?
    /// Chains that, by their renewal info, last longer than their newest transaction.
    private(set) var outlasting: [String] = []

    /// Responses of a single environment go into its ledger only.
    package init(
        _ client: AppStoreServerAPIClient, ledgers: EnvironmentLedgers, id: String,
        in choice: EnvironmentChoice
    ) {
        self.client = client
        self.ledgers = ledgers
        self.id = id
        self.choice = choice
        if case .only(let environment) = choice { self.environment = environment }
    }

    // MARK: Requests

    /// Statuses and history, and the notifications of extended renewals. An id without a
    /// subscription may have no statuses: the history decides whether it is unknown.
    package mutating func purchases() async throws(AppleRequestFailure) {
        do throws(AppleRequestFailure) { try await statuses() } catch {
            guard error.isUnknownId else { throw error }
        }
        do throws(AppleRequestFailure) { try await transactions() } catch {
            guard error.isUnknownId, tally.requests > 0 else { throw error }
        }
        try await extensions()
    }

    /// Every transaction of the customer since the history's last cursor.
    mutating func transactions() async throws(AppleRequestFailure) {
        try await history(.transactionHistory) { client, id, place, choice in
            client.transactionHistoryPages(id, after: place, in: choice)
        }
    }

    /// Every refund of the customer since the last cursor.
    mutating func refunds() async throws(AppleRequestFailure) {
        try await history(.refundHistory) { client, id, place, choice in
            client.refundHistoryPages(id, after: place, in: choice)
        }
    }

    /// The current status of every subscription of the customer.
    mutating func statuses() async throws(AppleRequestFailure) {
        try await noteStart()
        let answer: APIResponse<StatusResponse>
        do throws(APIFailure) {
            answer = try await client.allSubscriptionStatuses(id, in: choice)
        } catch { throw .apple(error) }
        try await take(answer, .allSubscriptionStatuses)
        for item in (answer.value.data ?? []).flatMap({ $0.lastTransactions ?? [] })
        where item.isOutlasting {
            if let id = item.originalTransactionId?.rawValue { outlasting.append(id) }
        }
    }

    /// The purchases of an order id, which is the id of these requests. Returns the transactionId
    /// of the first one, as Apple states it; nil where the order is not the app's.
    package mutating func order() async throws(AppleRequestFailure) -> String? {
        let answer: APIResponse<OrderLookupResponse>
        do throws(APIFailure) { answer = try await client.orderLookup(id) } catch {
            throw .apple(error)
        }
        try await take(answer, .orderLookup)
        return (answer.value.signedTransactions ?? []).lazy
            .compactMap { JSONValue(unverified: $0)?["transactionId"]?.string }.first
    }

    /// Notifications about the chains that last longer than their transactions: RENEWAL_EXTENDED
    /// may be the only evidence of an extended renewal (`Lifecycle.md` §2 rule 4). Sends no request
    /// when the statuses, requested before, name no such chain.
    private mutating func extensions() async throws(AppleRequestFailure) {
        guard !outlasting.isEmpty, let environment else { return }
        for chain in outlasting { try await notifications(of: chain, in: environment) }
    }

    /// Notifications about the customer that Apple still keeps. Requested again as of Apple's clock
    /// where this machine's is so far behind that Apple refuses the start.
    mutating func notifications(
        of chain: String? = nil, in environment: Environment
    ) async throws(AppleRequestFailure) {
        let now = ledgers.clock()
        do throws(AppleRequestFailure) {
            try await notifications(of: chain, in: environment, until: now)
        } catch {
            guard error.appleCode == .startDateTooFarInPast, let date = error.answeredAt, date > now
            else { throw error }
            try await notifications(of: chain, in: environment, until: date)
        }
    }

    private mutating func notifications(
        of chain: String?, in environment: Environment, until now: Timestamp
    ) async throws(AppleRequestFailure) {
        var request = NotificationHistoryRequest()
        request.startDate = now.advanced(
            byMilliseconds: NotificationHistory.marginMilliseconds
                - NotificationHistory.milliseconds(in: environment))
        request.endDate = now
        request.transactionId = chain ?? id
        var pages = client.notificationHistoryPages(request, in: environment).makeAsyncIterator()
        while let page = try await next(&pages) { try await take(page, .notificationHistory) }
    }

    // MARK: Pages

    private typealias Walk<Page: PagedResponse> = (
        AppStoreServerAPIClient, String, String?, EnvironmentChoice
    ) -> PageWalk<Page>

    private mutating func history<Page: PagedResponse>(
        _ endpoint: Endpoint, _ walk: Walk<Page>
    ) async throws(AppleRequestFailure) {
        try await noteStart()
        let place = try await place(endpoint)
        do throws(AppleRequestFailure) {
            try await follow(walk(client, id, place, choice), endpoint)
        } catch {
            // Apple no longer accepts the cursor (4000005): the whole history is fetched.
            guard place != nil, error.appleCode == .invalidRequestRevision else { throw error }
            try await follow(walk(client, id, nil, choice), endpoint)
        }
    }

    private mutating func follow<Page: PagedResponse>(
        _ walk: PageWalk<Page>, _ endpoint: Endpoint
    ) async throws(AppleRequestFailure) {
        var pages = walk.makeAsyncIterator()
        var last: String?
        let refusedBefore = tally.taken.refused
        while let page = try await next(&pages) {
            try await take(page, endpoint)
            last = page.value.nextPlace ?? last
        }
        // Refused evidence must be fetched again: the cursor stays.
        guard let last, !last.isEmpty, tally.taken.refused == refusedBefore else { return }
        try await keep(last, endpoint)
    }

    private func next<Page: PagedResponse>(
        _ pages: inout PageWalk<Page>.Iterator
    ) async throws(AppleRequestFailure) -> APIResponse<Page>? {
        do throws(APIFailure) { return try await pages.next() } catch { throw .apple(error) }
    }

    private mutating func take<Value>(
        _ answer: APIResponse<Value>, _ endpoint: Endpoint
    ) async throws(AppleRequestFailure) {
        tally.requests += 1
        choice = .only(answer.environment)
        let home = environment ?? CustomerRequests.named(answer.body) ?? answer.environment
        environment = home
        try await noteStart()
        guard AppleResponseReader.holdsEvidence(answer.body) else { return }
        do throws(StoreError) {
            tally.taken.add(try await ledgers.take(answer.body, named: endpoint.name, into: home))
        } catch { throw .store(error) }
    }

    /// The environment a response names, in a signed part or beside it. It only selects the ledger,
    /// whose own verification decides.
    private static func named(_ body: [UInt8]) -> Environment? {
        EvidenceClaims.environment(of: body)
            ?? (try? JSONValue.parse(body))?["environment"]?.string
            .flatMap { Environment(rawValue: $0) }
    }

    // MARK: Places

    private mutating func noteStart() async throws(AppleRequestFailure) {
        guard start == nil, let environment else { return }
        do throws(StoreError) {
            start = try await ledgers.ledger(environment).log.head().position
        } catch { throw .store(error) }
    }

    private func key(_ endpoint: Endpoint) -> HistoryPlace.Key {
        HistoryPlace.Key(bundleId: client.bundleId, id: id, endpoint: endpoint.name)
    }

    /// The history's last cursor, if the ledger still contains everything up to it. Nil before the
    /// first response, since the ledger is not known then.
    private func place(_ endpoint: Endpoint) async throws(AppleRequestFailure) -> String? {
        guard let environment else { return nil }
        do throws(StoreError) {
            let ledger = try await ledgers.ledger(environment)
            guard let place = try await ledger.operations.place(key(endpoint)),
                try await Projector.isOfThisLog(ledger, place.log)
            else { return nil }
            return place.revision
        } catch { throw .store(error) }
    }

    private func keep(_ revision: String, _ endpoint: Endpoint) async throws(AppleRequestFailure) {
        guard let environment, let start else { return }
        do throws(StoreError) {
            let ledger = try await ledgers.ledger(environment)
            let position = try await ledger.log.head().position
            let place = HistoryPlace(
                revision: revision, log: try await ledger.checkpoint(at: position) ?? .start)
            try await ledger.operations.keep(place, of: key(endpoint))
            // An erasure during the requests may be of this customer, whatever the id is; a later
            // one removes the row. Without it the next requests fetch the whole history.
            if try await !ledger.log.erasurePositions(after: start, through: .max).isEmpty {
                try await ledger.operations.keep(nil, of: key(endpoint))
            }
        } catch { throw .store(error) }
    }
}

extension LastTransactionsItem {
    /// Whether the renewal info states a later end than the transaction, not because of a failed
    /// payment. Read unverified: it only selects requests.
    var isOutlasting: Bool {
        guard status?.value != .billingRetry, status?.value != .billingGracePeriod,
            let end = JSONValue(unverified: signedTransactionInfo)?["expiresDate"]?.int64,
            let renewal = JSONValue(unverified: signedRenewalInfo)?["renewalDate"]?.int64
        else { return false }
        return renewal > end
    }
}

extension JSONValue {
    /// The payload of a token, without verification; nil where there is none, or it is not JSON.
    fileprivate init?(unverified token: String?) {
        guard let token, let jws = try? CompactJWS(parsing: Array(token.utf8)),
            let payload = try? JSONValue.parse(jws.payload)
        else { return nil }
        self = payload
    }
}
