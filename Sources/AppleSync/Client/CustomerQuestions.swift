import AppStore
import AppStoreAPI
import Ledger
import LedgerStore
internal import Projection
internal import SQLiteStore
import Signing

/// Asks Apple everything about one customer, and takes the answers into the ledger of the
/// environment they name. Histories go on where they were left, so that asking again brings only
/// what came or changed since.
package struct CustomerQuestions: Sendable {
    let client: AppStoreServerAPIClient
    let books: AnswerBooks
    /// Any id of the customer.
    let id: String
    package private(set) var tally = AskedTally()
    /// Whom to ask: after the first answer, whoever gave it.
    private var choice: EnvironmentChoice
    /// Whose ledger takes the answers: after the first answer, one and the same.
    private(set) var environment: Environment?
    /// Chains that last longer, as Apple's newest word has it, than their newest transaction says.
    private(set) var outlasting: [String] = []

    /// - Parameters:
    ///   - client: of the app.
    ///   - books: the ledgers.
    ///   - id: any id of the customer.
    ///   - choice: whom to ask; what was asked of one environment only goes into its ledger.
    package init(
        _ client: AppStoreServerAPIClient, books: AnswerBooks, id: String,
        in choice: EnvironmentChoice
    ) {
        self.client = client
        self.books = books
        self.id = id
        self.choice = choice
        if case .only(let environment) = choice { self.environment = environment }
    }

    // MARK: Questions

    /// Every transaction of the customer since the place where the history was left.
    package mutating func transactions() async throws(AskingFailure) {
        try await history(.transactionHistory) { client, id, place, choice in
            client.transactionHistoryPages(id, after: place, in: choice)
        }
    }

    /// Every refund of the customer, likewise.
    mutating func refunds() async throws(AskingFailure) {
        try await history(.refundHistory) { client, id, place, choice in
            client.refundHistoryPages(id, after: place, in: choice)
        }
    }

    /// Where every subscription of the customer stands now.
    package mutating func statuses() async throws(AskingFailure) {
        let answer: APIAnswer<StatusResponse>
        do throws(APIFailure) {
            answer = try await client.allSubscriptionStatuses(id, in: choice)
        } catch { throw .apple(error) }
        try await take(answer, .allSubscriptionStatuses)
        for item in (answer.value.data ?? []).flatMap({ $0.lastTransactions ?? [] })
        where item.isOutlasting {
            if let id = item.originalTransactionId?.rawValue { outlasting.append(id) }
        }
    }

    /// What Apple sent about the chains that last longer than their transactions say: a renewal that
    /// was extended may be told by RENEWAL_EXTENDED alone (`lifecycle.md` §2 rule 4). Nothing is
    /// asked where the statuses, asked for before, name none.
    package mutating func extensions() async throws(AskingFailure) {
        guard !outlasting.isEmpty, let environment else { return }
        let now = books.clock()
        let start = now.advanced(
            byMilliseconds: NotificationHistory.marginMilliseconds
                - NotificationHistory.milliseconds(in: environment))
        for chain in outlasting {
            try await notifications(of: chain, from: start, to: now, in: environment)
        }
    }

    /// What Apple sent about the customer since `start`.
    mutating func notifications(
        of chain: String? = nil, from start: Timestamp, to end: Timestamp,
        in environment: Environment
    ) async throws(AskingFailure) {
        var request = NotificationHistoryRequest()
        request.startDate = start
        request.endDate = end
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
    ) async throws(AskingFailure) {
        let place = try await place(endpoint)
        do throws(AskingFailure) {
            try await follow(walk(client, id, place, choice), endpoint)
        } catch {
            guard place != nil, error.isUnknownPlace else { throw error }
            try await follow(walk(client, id, nil, choice), endpoint)
        }
    }

    private mutating func follow<Page: PagedResponse>(
        _ walk: PageWalk<Page>, _ endpoint: Endpoint
    ) async throws(AskingFailure) {
        var pages = walk.makeAsyncIterator()
        var last: String?
        let refusedBefore = tally.refused
        while let page = try await next(&pages) {
            try await take(page, endpoint)
            last = page.value.nextPlace ?? last
        }
        // What was refused must come again: the place stays where it was.
        guard let last, !last.isEmpty, tally.refused == refusedBefore else { return }
        try await keep(last, endpoint)
    }

    private func next<Page: PagedResponse>(
        _ pages: inout PageWalk<Page>.Iterator
    ) async throws(AskingFailure) -> APIAnswer<Page>? {
        do throws(APIFailure) { return try await pages.next() } catch { throw .apple(error) }
    }

    private mutating func take<Value>(
        _ answer: APIAnswer<Value>, _ endpoint: Endpoint
    ) async throws(AskingFailure) {
        tally.requests += 1
        choice = .only(answer.environment)
        let home = environment ?? CustomerQuestions.named(answer.body) ?? answer.environment
        environment = home
        guard AnswerReader.holdsEvidence(answer.body) else { return }
        do throws(StoreError) {
            tally.add(try await books.take(answer.body, named: endpoint.name, into: home))
        } catch { throw .store(error) }
    }

    /// The environment an answer names: in what is signed, or beside it. Only chooses the ledger,
    /// whose own rules decide.
    private static func named(_ body: [UInt8]) -> Environment? {
        AnswerReader.claimedEnvironment(body)
            ?? (try? JSONValue.parse(body))?["environment"]?.string
            .flatMap { Environment(rawValue: $0) }
    }

    // MARK: Places

    private func key(_ endpoint: Endpoint) -> HistoryPlace.Key {
        HistoryPlace.Key(bundleId: client.bundleId, id: id, endpoint: endpoint.name)
    }

    /// Where the history was left, if the ledger still holds everything up to there. Nil before
    /// anybody answered, since nobody knows then whose ledger that would be.
    private func place(_ endpoint: Endpoint) async throws(AskingFailure) -> String? {
        guard let environment else { return nil }
        do throws(StoreError) {
            let ledger = try await books.ledger(environment)
            guard let place = try await ledger.operations.place(key(endpoint)),
                try await Projector.isOfThisLog(ledger, place.log)
            else { return nil }
            return place.revision
        } catch { throw .store(error) }
    }

    private func keep(_ revision: String, _ endpoint: Endpoint) async throws(AskingFailure) {
        guard let environment else { return }
        do throws(StoreError) {
            let ledger = try await books.ledger(environment)
            let position = try await ledger.log.head().position
            let place = HistoryPlace(
                revision: revision, log: try await ledger.checkpoint(at: position) ?? .start)
            try await ledger.operations.keep(place, of: key(endpoint))
        } catch { throw .store(error) }
    }
}

extension LastTransactionsItem {
    /// Whether the renewal info states a later end than the transaction, and no failed payment does
    /// it. Read without verifying: it only decides what is asked.
    var isOutlasting: Bool {
        guard status?.value != .billingRetry, status?.value != .billingGracePeriod,
            let end = date("expiresDate", in: signedTransactionInfo),
            let renewal = date("renewalDate", in: signedRenewalInfo)
        else { return false }
        return renewal > end
    }

    private func date(_ name: String, in token: String?) -> Timestamp? {
        guard let token, let jws = try? CompactJWS(parsing: Array(token.utf8)),
            let payload = try? JSONValue.parse(jws.payload)
        else { return nil }
        return payload[name]?.int64.map { Timestamp(milliseconds: $0) }
    }
}

extension AskingFailure {
    /// Apple does not take the place any more (4000005): the history is fetched whole.
    fileprivate var isUnknownPlace: Bool {
        guard case .apple(let failure) = self else { return false }
        return failure.appleCode == Raw(.invalidRequestRevision)
    }
}
