import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
public import Queries

extension LedgerHost {
    /// Appends an app receipt, requests from Apple the histories and statuses of every purchase it
    /// names where the app's key is configured, and answers with the resulting state of its chains
    /// and with the customer's entitlements.
    ///
    /// A customer who is named claims the chains (`Lifecycle.md` §6). A repeated receipt is the
    /// same event and gets a new answer; a key that was used with another body is refused. For a
    /// receipt with very many chains, the newest are answered and claimed, and the others are
    /// counted.
    ///
    /// - Parameters as for `upload`.
    ///
    /// Throws `IntakeRefusal` or `CommandError` when nothing is in the log; or `StoreError` or
    /// `ServingError`, when the receipt may be in the log and can be sent again.
    public func takeReceipt(
        _ bytes: [UInt8], only environment: Environment? = nil, key: String?, sender: String
    ) async throws -> ServedAnswer {
        let body = try ReceiptBody(bytes)
        try requireClock()
        guard let key else {
            return try await takeReceipt(body, only: environment, sender: sender)
        }
        try CommandCheck.checkKey(key)
        return try await uploadTurns.pass(key) {
            try await take(key, for: bytes) {
                try await takeReceipt(body, only: environment, sender: sender)
            }.0
        }
    }

    private func takeReceipt(
        _ body: ReceiptBody, only environment: Environment?, sender: String
    ) async throws -> ServedAnswer {
        var named: [OriginalTransactionId] = []
        // The lowest id is stable as purchases are added and removed: one budget for all receipts
        // of one buyer.
        let taken = try await uploads.take(body.submission, only: environment) {
            named = body.chains
            return named.min() ?? body.buyer
        }
        let (served, bundleId) = (taken.served, taken.bundleId)
        let requested = try await request(named, of: bundleId, served)
        let chains = named.prefix(ReceiptBody.answeredChainCount).map {
            ChainId(bundleId: bundleId, originalTransactionId: $0)
        }
        let claims = try await claim(
            chains, body.customer, served, sender, canRequest: requested != nil)
        let head = try await served.ledger.log.head().position
        let snapshot = try await served.snapshot(atLeast: head)
        let moment = Moment(at: clock(), now: clock())
        let readings = try await snapshot.readings(of: chains, moment)
        let known = Set(readings.map(\.chain))
        let stateless = try await snapshot.stateless(chains.filter { !known.contains($0) })
        let token = readings.lazy.compactMap(\.answer.appAccountToken).first
        let customer = body.customer ?? token.map { CustomerId(token: $0) }
        var answer: EntitlementsAnswer?
        if let customer {
            answer = try await snapshot.entitlements(of: customer, moment: moment)
        }
        let reported = answer ?? served.unknownCustomer(moment, head)
        return served.answer(at: snapshot.position) { [named, claims, answer] json in
            json.member("environment", served.environment.rawValue)
            json.member("result", taken.result)
            json.member("eventPosition", taken.position)
            LedgerHost.write(requested, to: &json)
            json.objects("claims", claims) { json, claim in
                json.member("originalTransactionId", claim.chain.originalTransactionId)
                json.member("claim", claim.outcome?.rawValue ?? ReceiptBody.unrequested)
            }
            json.array("subscriptions", readings)
            json.objects("withoutState", stateless) { json, entry in
                json.member("originalTransactionId", entry.chain.originalTransactionId)
                json.member("message", entry.reason)
            }
            json.member("chainsOmitted", Int64(named.count - chains.count))
            reported.writeMembers(to: &json, isUnknown: answer == nil)
        }
    }

    /// Requests the purchases from Apple; nil without a key of the app. Apple signs statuses anew
    /// for each request, so that a repeated receipt may add events without end: a round of requests
    /// that adds any takes one of the receipt's budget, and beyond it none is sent.
    private func request(
        _ named: [OriginalTransactionId], of bundleId: BundleId, _ served: ServedLedger
    ) async throws -> ReceiptRequests.Outcome? {
        let (requests, environment, now) = (reach.requests, served.environment, clock())
        var account: ChainId?
        if requests.clients[bundleId] != nil, let lowest = named.min() {
            // Far behind the log, each chain would be looked for in all of it.
            _ = try await served.projected(through: try await served.ledger.log.head().position)
            let chain = ChainId(bundleId: bundleId, originalTransactionId: lowest)
            guard uploadBudget.take(chain, environment, at: now) else {
                return ReceiptRequests.Outcome(
                    failure: UploadBudget.refusal(chain, environment, at: now).code)
            }
            account = chain
        }
        let outcome = await requests.run(named, of: bundleId, environment) { id in
            // A chain whose facts cannot be read is requested: a round always ends, so that it is
            // counted by what it added.
            let chain = ChainId(bundleId: bundleId, originalTransactionId: id)
            return (try? await served.isReported(chain)) ?? false
        }
        if let account, outcome?.appended ?? 0 == 0 {
            uploadBudget.giveBack(account, environment, at: now)
        }
        return outcome
    }

    /// A receipt states what was bought, but not by whom, and a copy of it is as good as the
    /// original. So it takes no chain from its holder (`share` still adds the customer) and, where
    /// requests are possible, claims no chain for which Apple has not yet sent the appAccountToken,
    /// which receipts do not contain. A nil outcome means that the claim was not judged.
    private func claim(
        _ chains: [ChainId], _ customer: CustomerId?, _ served: ServedLedger, _ sender: String,
        canRequest: Bool
    ) async throws -> [(chain: ChainId, outcome: Holders.ClaimOutcome?)] {
        guard let customer else { return [] }
        // Claims are judged on everything in the log.
        let head = try await served.ledger.log.head().position
        _ = try await served.projected(through: head)
        let policy = configuration.claimPolicy == .share ? ClaimPolicy.share : .keep
        var claims: [(chain: ChainId, outcome: Holders.ClaimOutcome?)] = []
        for chain in chains {
            if canRequest, try await !served.isReported(chain) {
                claims.append((chain, nil))
                continue
            }
            // A claim beyond the budget is not judged; the receipt itself is appended.
            let claimed = try await claimWithinBudget(chain, customer, served, policy, sender)
            claims.append((chain, claimed?.outcome))
        }
        return claims
    }

    private static func write(_ requested: ReceiptRequests.Outcome?, to json: inout JSONWriter) {
        json.object("asked", requested) { json, requested in
            json.member("chains", Int64(requested.chains))
            json.member("requests", requested.requests)
            json.member("appended", requested.appended)
            json.member("failure", requested.failure)
        }
    }
}

extension ServedLedger {
    /// Whether the ledger has facts that Apple signed about this chain alone, which would name its
    /// appAccountToken.
    fileprivate func isReported(_ chain: ChainId) async throws -> Bool {
        try await ledger.presentFacts(of: chain).contains {
            !$0.cause.kind.mayNameSeveralChains && $0.command == nil && $0.transaction != nil
        }
    }
}
