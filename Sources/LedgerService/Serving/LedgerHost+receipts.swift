import AppStore
import Ledger
import LedgerStore
import Signing

extension LedgerHost {
    /// Takes in an app receipt, asks Apple for the histories and statuses of every purchase it
    /// names where the app's key is configured, and answers with its chains as they stand then, and
    /// with what the customer has.
    ///
    /// A customer who is named claims every chain (`lifecycle.md` §6). The same receipt again is the
    /// same event, and is answered anew; a key that came with another body is refused.
    ///
    /// Throws `IntakeRefusal` or `CommandError`, and nothing is in the log then; or `StoreError` or
    /// `ServingError`: then the receipt may be, and the same one again is answered.
    public func takeReceipt(
        _ bytes: [UInt8], key: String?, sender: String
    ) async throws -> ServedAnswer {
        let body = try ReceiptBody(bytes)
        guard let key else { return try await takeReceipt(body, sender: sender) }
        try CommandCheck.checkKey(key)
        return try await uploadTurns.pass(key) {
            let keys = ledgers[0].ledger.operations
            let state = try await keys.take(
                uploadKey: key, request: SHA256.hash(bytes), at: clock())
            if state == .taken { throw CommandIntake.reused(key) }
            return try await takeReceipt(body, sender: sender)
        }
    }

    private func takeReceipt(_ body: ReceiptBody, sender: String) async throws -> ServedAnswer {
        let taken = try await uploads.take(body.submission)
        let (served, bundleId) = (taken.served, taken.bundleId)
        let chains = body.chains.map {
            ChainId(bundleId: bundleId, originalTransactionId: $0)
        }
        let asked = try await receiptQuestions.ask(
            body.chains, of: bundleId, served.environment
        ) { id in
            let chain = ChainId(bundleId: bundleId, originalTransactionId: id)
            return try await served.ledger.presentFacts(of: chain).contains {
                !$0.cause.kind.mayNameSeveralChains && $0.command == nil
            }
        }
        let claims = try await claim(chains, body.customer, served, sender)
        let head = try await served.ledger.log.head().position
        let snapshot = try await served.snapshot(atLeast: head)
        let moment = Moment(at: clock(), now: clock())
        let readings = try await snapshot.query.readings(of: chains, moment)
        let token = readings.lazy.compactMap(\.answer.appAccountToken).first
        let customer = body.customer ?? token.map { CustomerId(token: $0) }
        var answer: EntitlementsAnswer?
        if let customer {
            answer = try await snapshot.customers.entitlements(of: customer, moment: moment)
        }
        let told = answer ?? served.nobody(moment, head)
        let result = IntakeReceipt(taken.result)
        return ServedAnswer(position: snapshot.position, lag: served.lag.positions) {
            [claims, answer] json, isStamped in
            json.object { json in
                json.member("result", result.result)
                json.member("eventPosition", result.position)
                LedgerHost.write(asked, to: &json)
                json.array("claims", claims) { json, claim in
                    json.object {
                        $0.member("originalTransactionId", claim.chain.originalTransactionId)
                        $0.member("claim", claim.outcome.rawValue)
                    }
                }
                json.array("subscriptions", readings) {
                    $1.writeShow(to: &$0, isStamped: isStamped)
                }
                told.writeMembers(to: &json, isStamped: isStamped, isNobody: answer == nil)
            }
        }
    }

    private func claim(
        _ chains: [ChainId], _ customer: CustomerId?, _ served: ServedLedger, _ sender: String
    ) async throws -> [(chain: ChainId, outcome: Holders.ClaimOutcome)] {
        guard let customer else { return [] }
        // Claims are judged by everything there is.
        let head = try await served.ledger.log.head().position
        _ = try await served.projected(through: head)
        var claims: [(chain: ChainId, outcome: Holders.ClaimOutcome)] = []
        for chain in chains {
            let outcome = try await commands(served).claim(
                chain, for: customer, policy: configuration.claimPolicy, actor: sender)
            claims.append((chain, outcome))
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
