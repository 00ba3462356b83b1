import AppStore
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore
import Signing

extension LedgerHost {
    /// Appends a transaction and answers with the current state of its chain, including the new
    /// event, and with the customer's entitlements: of the customer the sender names, else of the
    /// chain's appAccountToken. The answer does not wait for a slow projector.
    ///
    /// A customer who does not hold the chain claims it (`Lifecycle.md` §6); `claim` in the answer
    /// is the outcome. The same body under the same key gets the same answer.
    ///
    /// - `environment`: the only environment the sender accepts; nil accepts all. A Sandbox
    ///   purchase costs nothing and is answered like any other.
    /// - `key`: `Idempotency-Key`, common to all environments; nil computes a new answer each time.
    /// - `sender`: the claimant shown in timelines.
    ///
    /// Throws `IntakeRefusal` or `CommandError` when nothing is in the log; or `StoreError` or
    /// `ServingError`, when the transaction may be in the log and can be uploaded again.
    public func upload(
        _ bytes: [UInt8], only environment: Environment? = nil, key: String?, sender: String
    ) async throws -> RepeatableAnswer {
        let body = try UploadBody(bytes)
        try requireClock()
        guard let key else {
            let receipt = try await takeUpload(body, only: environment)
            let (record, isClaimed) = try await record(
                of: receipt, for: body.customer, sender: sender)
            // The outcome of a claim is reported as of that claim; a later claim gets another
            // answer.
            let moment = Moment(
                at: record.at, now: record.at,
                knowledge: isClaimed ? .knownPosition(record.position) : .everything)
            return RepeatableAnswer(
                answer: try await answer(receipt, body.customer, record, moment),
                isRepeated: false)
        }
        try CommandCheck.checkKey(key)
        return try await uploadTurns.pass(key) {
            // A duplicate is not a second event.
            let (receipt, state) = try await take(key, for: bytes) {
                try await takeUpload(body, only: environment)
            }
            var record: UploadRecord
            var isRepeated = false
            if case .answered(let known) = state {
                (record, isRepeated) = (known, true)
            } else {
                let own = try await self.record(
                    of: receipt, for: body.customer, sender: sender
                ).record
                record = try await ledgers[0].ledger.operations.keep(own, uploadKey: key)
                // Another process stored its record first.
                isRepeated = record != own
            }
            let moment = Moment(
                at: record.at, now: record.at, knowledge: .knownPosition(record.position))
            return RepeatableAnswer(
                answer: try await answer(receipt, body.customer, record, moment),
                isRepeated: isRepeated)
        }
    }

    /// Takes a key for the request with these bytes, then runs `upload`; returns its result and the
    /// key's previous state. The key of a refused upload is released; one taken by another request,
    /// or already answered, is kept.
    ///
    /// Throws `CommandError` for a key of another request.
    func take<Value>(
        _ key: String, for bytes: [UInt8], _ upload: () async throws -> Value
    ) async throws -> (Value, UploadKey) {
        let (keys, now) = (ledgers[0].ledger.operations, clock())
        let state = try await keys.take(uploadKey: key, request: SHA256.hash(bytes), at: now)
        if state == .taken { throw CommandIntake.reused(key) }
        do { return (try await upload(), state) } catch let refusal as IntakeRefusal {
            if state == .new { try? await keys.forget(uploadKey: key, takenAt: now) }
            throw refusal
        }
    }

    /// Claims the chain where a customer is named. Returns the data the answer is built from, and
    /// whether it is as of the position of a claim.
    func record(
        of receipt: IntakeReceipt, for customer: CustomerId?, sender: String
    ) async throws -> (record: UploadRecord, isClaimed: Bool) {
        let served = receipt.served
        var position = receipt.position
        var claim: CommandIntake.Claimed?
        if let customer, let chain = receipt.chain {
            claim = try await self.claim(chain, customer, served, from: position, sender)
        }
        if let claimed = claim?.position {
            position = max(position, claimed)
        } else if claim != nil || receipt.result == "duplicate" {
            // What the claim was judged by may be later than the event.
            position = max(position, try await served.ledger.log.head().position)
        }
        let record = UploadRecord(
            result: receipt.result, eventPosition: receipt.position,
            claim: claim?.outcome.rawValue, at: clock(), position: position)
        return (record, claim?.position != nil)
    }

    /// For a chain with very many facts, the claim folds no life: projected holders hold it, and
    /// any other customer is refused.
    private func claim(
        _ chain: ChainId, _ customer: CustomerId, _ served: ServedLedger, from position: Int64,
        _ sender: String
    ) async throws -> CommandIntake.Claimed {
        if try await served.isLong(chain) {
            try CommandCheck.check(customer)
            let snapshot = try await served.snapshot(atLeast: position)
            let isHeld = try await snapshot.projections.isHeld(chain, by: customer)
            return CommandIntake.Claimed(outcome: isHeld ? .held : .refused, position: nil)
        }
        // Claims are judged on everything in the log; catching up a short distance takes no
        // noticeable time.
        _ = try await served.projected(through: position)
        let claimed = try await claimWithinBudget(
            chain, customer, served, configuration.claimPolicy, sender)
        guard let claimed else {
            throw UploadBudget.refusal(chain, served.environment, at: clock(), isKnown: true)
        }
        return claimed
    }

    /// Claims a chain; nil when the claim would exceed the chain's event budget.
    func claimWithinBudget(
        _ chain: ChainId, _ customer: CustomerId, _ served: ServedLedger, _ policy: ClaimPolicy,
        _ sender: String
    ) async throws -> CommandIntake.Claimed? {
        let now = clock()
        var isTaken = false
        var isWritten = false
        defer {
            if isTaken, !isWritten { uploadBudget.giveBack(chain, served.environment, at: now) }
        }
        let claimed = try await commands(served).claim(
            chain, for: customer, policy: policy, actor: sender
        ) {
            isTaken = uploadBudget.take(chain, served.environment, at: now)
            return isTaken
        }
        isWritten = claimed?.isWritten ?? false
        return claimed
    }

    /// The answer with the chain and the entitlements of the customer named, else of the chain's
    /// appAccountToken. A chain that is too long to fold is left out: the event is in the log, the
    /// entitlements come from the projections, and the uploaded transaction names the customer
    /// where the request does not.
    private func answer(
        _ receipt: IntakeReceipt, _ named: CustomerId?, _ record: UploadRecord, _ moment: Moment
    ) async throws -> ServedAnswer {
        let served = receipt.served
        let isLong = if let chain = receipt.chain { try await served.isLong(chain) } else { false }
        let moment = isLong ? Moment(at: record.at, now: record.at) : moment
        let snapshot: LedgerSnapshot?
        var reading: ChainReading?
        var customer = named
        if isLong {
            snapshot = try await served.snapshot(atLeast: record.position)
            if customer == nil { customer = try await served.customer(of: record.eventPosition) }
        } else {
            snapshot = try await served.projected(through: record.position)
            reading = try await served.reading(
                of: receipt.chain, in: snapshot, through: record.position, moment)
            customer = named ?? reading?.answer.appAccountToken.map { CustomerId(token: $0) }
        }
        var answer: EntitlementsAnswer?
        if let customer {
            answer = try await served.entitlements(
                of: customer, moment: moment, in: snapshot, including: receipt.chain)
        }
        if !isLong { observer.folded(factCount: reading?.facts.count ?? 0) }
        return served.answer(record, reading, answer, moment)
    }
}

extension ServedLedger {
    /// Facts of a chain beyond which the answer to an upload leaves the chain out. This bounds the
    /// cost of an upload.
    static let uploadFactCount = 2_000

    /// Whether the chain has more than `uploadFactCount` facts.
    func isLong(_ chain: ChainId) async throws(StoreError) -> Bool {
        try await ledger.facts.hasMoreFacts(than: ServedLedger.uploadFactCount, of: chain)
    }

    /// The customer that the transaction of an event names.
    fileprivate func customer(of position: Int64) async throws -> CustomerId? {
        guard let event = try await ledger.log.event(at: position) else { return nil }
        return FactDecoder.decode(event).lazy
            .compactMap { $0.fact.transaction?.appAccountToken }.first
            .map { CustomerId(token: $0) }
    }

    /// - Parameters:
    ///   - reading: the chain; nil for none, and for one without state or too long to be folded.
    ///   - answer: the customer's entitlements; nil without a customer.
    fileprivate func answer(
        _ record: UploadRecord, _ reading: ChainReading?, _ answer: EntitlementsAnswer?,
        _ moment: Moment
    ) -> ServedAnswer {
        let reported = answer ?? unknownCustomer(moment, record.position)
        return self.answer(at: max(record.position, projectedPosition ?? 0)) { json in
            json.member("environment", environment.rawValue)
            json.member("result", record.result)
            json.member("eventPosition", record.eventPosition)
            json.member("claim", record.claim)
            json.member("subscription", reading)
            reported.writeMembers(to: &json, isUnknown: answer == nil)
        }
    }

    /// A chain with everything up to `position`, from `snapshot` or, without one, folded directly.
    /// Nil for no chain or a chain without state.
    func reading(
        of chain: ChainId?, in snapshot: LedgerSnapshot?, through position: Int64, _ moment: Moment
    ) async throws -> ChainReading? {
        guard let chain else { return nil }
        if let snapshot {
            return try await snapshot.readings(of: [chain], moment).first
        }
        let facts = try await ledger.presentFacts(of: chain)
        return ChainReading(
            chain: chain, facts: facts, shared: [], moment: moment,
            head: max(position, facts.map(\.position).max() ?? 0), ledger: ledger)
    }

    /// The entitlements answer without a customer.
    func unknownCustomer(_ moment: Moment, _ position: Int64) -> EntitlementsAnswer {
        EntitlementsAnswer(
            customer: CustomerId(""),
            stamp: AnswerStamp(moment, of: nil, position: position, ledger),
            entitlements: Entitlements(
                at: moment.at, holdings: [], grants: [], catalogue: ledger.catalogue))
    }
}
