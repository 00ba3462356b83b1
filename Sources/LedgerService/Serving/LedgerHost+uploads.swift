import AppStore
import Ledger
import LedgerStore

extension LedgerHost {
    /// What the sender of a transaction gets: its chain as it stands now, the event just appended
    /// included, and what the customer has: the one the sender names, else the one whom the chain's
    /// appAccountToken names. The answer waits for no projector that is slow.
    ///
    /// A customer who does not hold the chain claims it (`lifecycle.md` §6); `claim` in the answer
    /// says what came of it.
    ///
    /// - Parameter sender: who claims, as timelines will say.
    ///
    /// Throws `CommandError`, `StoreError` or `ServingError`; the transaction is in the log in any
    /// case, and the same upload again is answered.
    public func answer(_ upload: UploadReceipt, sender: String) async throws -> ServedAnswer {
        let served = upload.served
        _ = try await served.projected(through: upload.receipt.position)
        var claim: Holders.ClaimOutcome?
        if let customer = upload.customer, let chain = upload.chain {
            claim = try await commands(served).claim(
                chain, for: customer, policy: configuration.claimPolicy, actor: sender)
        }
        var position = upload.receipt.position
        if claim == .moved || claim == .added {
            position = max(position, try await served.ledger.log.head().position)
        }
        let moment = Moment(at: nil, now: clock())
        let snapshot = try await served.projected(through: position)
        let reading = try await served.reading(
            of: upload.chain, in: snapshot, through: position, moment)
        let customer =
            upload.customer ?? reading?.answer.appAccountToken.map { CustomerId(token: $0) }
        var answer: EntitlementsAnswer?
        if let customer {
            answer = try await served.entitlements(
                of: customer, moment: moment, in: snapshot, including: upload.chain)
        }
        return ServedAnswer(
            position: max(position, served.projectedPosition ?? 0), lag: served.lag.positions
        ) { json, isStamped in
            json.object { json in
                json.member("result", upload.receipt.result)
                json.member("eventPosition", upload.receipt.position)
                json.member("claim", claim?.rawValue)
                json.key("subscription")
                if let reading {
                    reading.writeShow(to: &json, isStamped: isStamped)
                } else {
                    json.null()
                }
                let nobody = EntitlementsAnswer(
                    customer: CustomerId(""), at: moment.at, knownAt: nil, position: position,
                    catalogueHash: served.ledger.catalogueHash,
                    entitlements: Entitlements(
                        at: moment.at, holdings: [], grants: [],
                        catalogue: served.ledger.catalogue))
                (answer ?? nobody).writeMembers(
                    to: &json, isStamped: isStamped, isNobody: answer == nil)
            }
        }
    }
}

extension ServedLedger {
    /// A chain with everything up to `position`: from a state that holds it, else projected or not.
    /// Nil for none, and for one without any state.
    fileprivate func reading(
        of chain: ChainId?, in snapshot: LedgerSnapshot?, through position: Int64, _ moment: Moment
    ) async throws -> ChainReading? {
        guard let chain else { return nil }
        if let snapshot {
            return try await snapshot.query.readings(of: [chain], moment).first
        }
        let facts = try await ledger.presentFacts(of: chain)
        return ChainReading(
            chain: chain, facts: facts, shared: [], moment: moment,
            head: max(position, facts.map(\.position).max() ?? 0), ledger: ledger)
    }
}
