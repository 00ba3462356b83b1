import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore
import Signing

extension LedgerHost {
    /// Takes in an app receipt, asks Apple for the histories and statuses of every purchase it
    /// names where the app's key is configured, and answers with its chains as they stand then, and
    /// with what the customer has.
    ///
    /// A customer who is named claims the chains (`lifecycle.md` §6). The same receipt again is the
    /// same event, and is answered anew; a key that came with another body is refused. Of a receipt
    /// with very many chains the newest are answered and claimed, and the rest is counted.
    ///
    /// - Parameters as for `upload`.
    ///
    /// Throws `IntakeRefusal` or `CommandError`, and nothing is in the log then; or `StoreError` or
    /// `ServingError`: then the receipt may be, and the same one again is answered.
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
            let keys = ledgers[0].ledger.operations
            let state = try await keys.take(
                uploadKey: key, request: SHA256.hash(bytes), at: clock())
            if state == .taken { throw CommandIntake.reused(key) }
            do {
                return try await takeReceipt(body, only: environment, sender: sender)
            } catch let refusal as IntakeRefusal {
                // What was refused has no answer to keep the key for; one that another request brought
                // is not this one's to give back.
                if state == .new { try? await keys.forget(uploadKey: key) }
                throw refusal
            }
        }
    }

    private func takeReceipt(
        _ body: ReceiptBody, only environment: Environment?, sender: String
    ) async throws -> ServedAnswer {
        var named: [OriginalTransactionId] = []
        // The least id stays while purchases come and go: one budget for the receipts of one buyer.
        let taken = try await uploads.take(body.submission, only: environment) {
            named = body.chains
            return named.min()
        }
        let (served, bundleId) = (taken.served, taken.bundleId)
        let chains = named.prefix(ReceiptBody.answeredChainCount).map {
            ChainId(bundleId: bundleId, originalTransactionId: $0)
        }
        let asked = try await receiptQuestions.ask(
            named, of: bundleId, served.environment
        ) { id in
            try await served.isTold(ChainId(bundleId: bundleId, originalTransactionId: id))
        }
        let claims = try await claim(
            chains, body.customer, served, sender, isAskable: asked != nil)
        let head = try await served.ledger.log.head().position
        let snapshot = try await served.snapshot(atLeast: head)
        let moment = Moment(at: clock(), now: clock())
        let readings = try await snapshot.query.readings(of: chains, moment)
        let known = Set(readings.map(\.chain))
        let stateless = try await snapshot.query.stateless(
            chains.filter { !known.contains($0) })
        let token = readings.lazy.compactMap(\.answer.appAccountToken).first
        let customer = body.customer ?? token.map { CustomerId(token: $0) }
        var answer: EntitlementsAnswer?
        if let customer {
            answer = try await snapshot.customers.entitlements(of: customer, moment: moment)
        }
        let told = answer ?? served.nobody(moment, head)
        let result = IntakeReceipt(taken.result)
        return ServedAnswer(position: snapshot.position, lag: served.lag.positions) {
            [named, claims, answer] json, isStamped in
            json.object { json in
                json.member("environment", served.environment.rawValue)
                json.member("result", result.result)
                json.member("eventPosition", result.position)
                LedgerHost.write(asked, to: &json)
                json.array("claims", claims) { json, claim in
                    json.object {
                        $0.member("originalTransactionId", claim.chain.originalTransactionId)
                        $0.member("claim", claim.outcome?.rawValue ?? ReceiptBody.unasked)
                    }
                }
                json.array("subscriptions", readings) {
                    $1.writeShow(to: &$0, isStamped: isStamped)
                }
                json.array("withoutState", stateless) { json, entry in
                    json.object {
                        $0.member("originalTransactionId", entry.chain.originalTransactionId)
                        $0.member("message", entry.reason)
                    }
                }
                json.member("chainsOmitted", Int64(named.count - chains.count))
                told.writeMembers(to: &json, isStamped: isStamped, isNobody: answer == nil)
            }
        }
    }

    /// A receipt says what was bought, and not by whom: a copy of it is as good as the receipt. So it
    /// takes no chain from somebody who holds it (`share` adds the customer, as it does always), and,
    /// where Apple can be asked, claims nothing of which Apple has not told whose it is: its
    /// appAccountToken, which no receipt holds. Outcome nil: not judged.
    private func claim(
        _ chains: [ChainId], _ customer: CustomerId?, _ served: ServedLedger, _ sender: String,
        isAskable: Bool
    ) async throws -> [(chain: ChainId, outcome: Holders.ClaimOutcome?)] {
        guard let customer else { return [] }
        // Claims are judged by everything there is.
        let head = try await served.ledger.log.head().position
        _ = try await served.projected(through: head)
        let policy = configuration.claimPolicy == .share ? ClaimPolicy.share : .keep
        var claims: [(chain: ChainId, outcome: Holders.ClaimOutcome?)] = []
        for chain in chains {
            if isAskable, try await !served.isTold(chain) {
                claims.append((chain, nil))
                continue
            }
            // What the budget does not admit is not judged: the receipt itself is taken in.
            let claimed = try await claimWithinBudget(chain, customer, served, policy, sender)
            claims.append((chain, claimed?.outcome))
        }
        return claims
    }

    private static func write(_ asked: ReceiptQuestions.Outcome?, to json: inout JSONWriter) {
        guard let asked else { return json.member("asked", nil as String?) }
        json.object("asked", asked) { json, asked in
            json.member("chains", Int64(asked.chains))
            json.member("requests", asked.requests)
            json.member("appended", asked.appended)
            json.member("failure", asked.failure)
        }
    }
}

extension ServedLedger {
    /// Whether anything is known of a chain that Apple signed about it alone, and that would name its
    /// appAccountToken.
    fileprivate func isTold(_ chain: ChainId) async throws -> Bool {
        try await ledger.presentFacts(of: chain).contains {
            !$0.cause.kind.mayNameSeveralChains && $0.command == nil && $0.transaction != nil
        }
    }
}
