public import AppStore
public import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore
import Signing

/// Takes in what operators and back ends decide: checked against what is known, appended, durable
/// when it returns. Projections follow.
public struct CommandIntake: Sendable {
    private let ledger: EnvironmentLedger
    /// Now, at each call.
    private let clock: @Sendable () -> Timestamp
    /// A new id, for commands that bring none; never the same twice.
    private let makeId: @Sendable () -> String
    /// How events get into the log; nil: nobody else is to know.
    private let appending: Appending?

    public typealias Appending =
        @Sendable ([NewEvent]) async throws(StoreError) -> [AppendResult]

    /// Who decides, why, and under what key a repetition is known.
    public struct Order: Sendable {
        public var actor: String
        /// The name of the token that the sender authenticated with; nil where none was asked for.
        public var tokenName: String?
        public var reason: String
        /// `Idempotency-Key`; nil makes every command a new one.
        public var key: String?

        public init(
            actor: String, tokenName: String? = nil, reason: String, key: String? = nil
        ) {
            self.actor = actor
            self.tokenName = tokenName
            self.reason = reason
            self.key = key
        }
    }

    /// - Parameter appending: nil appends to the log and tells nobody.
    public init(
        ledger: EnvironmentLedger, clock: @escaping @Sendable () -> Timestamp,
        makeId: @escaping @Sendable () -> String, appending: Appending? = nil
    ) {
        self.ledger = ledger
        self.clock = clock
        self.makeId = makeId
        self.appending = appending
    }

    /// Appends a command about a chain (`link`, `unlink`, `note`) or a customer (`grant`,
    /// `ungrant`, `note`). The same command under the same key again is answered as the first was.
    ///
    /// - Parameters:
    ///   - chain: the chain it is about; its existence is the caller's to check. Nil for a
    ///     customer.
    ///   - order: who, why, and the key.
    public func run(
        _ action: Command.Action, about chain: ChainId?, _ order: Order
    ) async throws(CommandError) -> CommandReceipt {
        let command = Command(
            id: order.key ?? makeId(), actor: order.actor, tokenName: order.tokenName,
            reason: order.reason, action: action)
        try CommandCheck.check(command)
        if let known = try await known(command, chain) { return known }
        try await checkAgainstKnown(command, chain, at: clock())
        return try await append(command, chain, source: .operator, receivedAt: nil)
    }

    /// Appends what was decided at another time or in another ledger, with that time as claimed:
    /// a story. Whether it made sense was judged then.
    package func repeatDecision(
        _ command: Command, about chain: ChainId?, receivedAt: Timestamp
    ) async throws(CommandError) -> CommandReceipt {
        try CommandCheck.check(command)
        if let known = try await known(command, chain) { return known }
        return try await append(command, chain, source: .import, receivedAt: receivedAt)
    }

    private static func key(_ id: String) -> Digest { EventKey.make(.command, [id]) }

    // MARK: Checks

    /// Whether there is anything to unlink, or to withdraw.
    private func checkAgainstKnown(
        _ command: Command, _ chain: ChainId?, at now: Timestamp
    ) async throws(CommandError) {
        switch command.action {
        case .link, .claim, .note: return
        case .grant(_, _, let until):
            guard until > now else {
                throw CommandError(.invalidTime, "A grant must end in the future.")
            }
        case .unlink(let customer):
            guard let chain else { return }
            let holders = try await life(of: chain).holders.spans.last
            let isLinked = holders?.isLinked ?? false
            if isLinked, holders?.holders.contains(where: { $0.customer == customer }) ?? false {
                return
            }
            throw CommandError(
                .notLinked,
                "\(chain.originalTransactionId) is not linked to \(customer). What an"
                    + " appAccountToken says cannot be unlinked: link the chain to somebody else.")
        case .ungrant(let customer, let id):
            let grants = Grant.grants(try await life(of: ChainId(customer: customer)).commands)
            guard grants.contains(where: { $0.id == id && $0.withdrawnAt == nil }) else {
                throw CommandError(
                    .noSuchGrant,
                    "\(customer) has no grant \(id), or not any more; `subledger timeline"
                        + " --customer` lists them.")
            }
        }
    }

    /// - Parameter position: only what stands before it; nil: everything there is.
    private func life(
        of chain: ChainId, before position: Int64? = nil
    ) async throws(CommandError) -> Lifecycle {
        let facts = try await storing { () throws(StoreError) in
            try await ledger.presentFacts(of: chain)
        }
        return Lifecycle(
            facts.filter { fact in position.map { fact.position < $0 } ?? true },
            environment: ledger.environment, catalogue: ledger.catalogue)
    }

    // MARK: Claims

    /// What came of a claim.
    public struct Claimed: Hashable, Sendable {
        public let outcome: Holders.ClaimOutcome
        /// Where the claim stands in the log; nil when nothing was to be written down.
        public let position: Int64?

        public init(outcome: Holders.ClaimOutcome, position: Int64?) {
            self.outcome = outcome
            self.position = position
        }
    }

    /// What an upload that names a customer does to a chain whose evidence was verified and
    /// appended (`POST /v1/transactions`; `lifecycle.md` §6). Only what changes the holders is
    /// written down; what it came to is answered, as of its own position: of claims that come at
    /// the same time each one is told what it did, and not what the last one left of it.
    ///
    /// - Parameters:
    ///   - actor: who uploaded, as far as the service knows.
    ///   - admit: asked before the claim is written; false writes nothing, and the result is nil.
    package func claim(
        _ chain: ChainId, for customer: CustomerId, policy: ClaimPolicy, actor: String,
        admit: () -> Bool
    ) async throws(CommandError) -> Claimed? {
        let life = try await life(of: chain)
        let holders = life.holders
        let now = clock()
        let outcome = holders.outcome(of: customer, policy: policy, at: now)
        guard outcome == .moved || outcome == .added else {
            try CommandCheck.check(customer)
            return Claimed(outcome: outcome, position: nil)
        }
        // The holders it found are part of its name: the same upload again is the same claim,
        // unless somebody else held the chain in between.
        let before = holders.holders(at: now).map { String($0.cause) }.joined(separator: ",")
        let command = Command(
            id: CommandIntake.claimId(chain, customer, policy, before: before), actor: actor,
            reason: "Uploaded a transaction of it.", action: .claim(customer, policy: policy))
        try CommandCheck.check(command)
        guard admit() else { return nil }
        let receipt = try await append(command, chain, source: .client, receivedAt: nil)
        // The same claim of earlier, taken back since: it does nothing a second time.
        if life.commands.contains(where: { $0.position == receipt.position }) {
            return Claimed(outcome: .refused, position: nil)
        }
        // Another claim may have come first: this one did what it does to the holders it found.
        let judged = try await self.life(of: chain, before: receipt.position).holders.outcome(
            of: customer, policy: policy, at: receipt.receivedAt)
        return Claimed(outcome: judged, position: receipt.position)
    }

    /// As above, whatever was written before.
    public func claim(
        _ chain: ChainId, for customer: CustomerId, policy: ClaimPolicy, actor: String
    ) async throws(CommandError) -> Claimed {
        let claimed = try await claim(
            chain, for: customer, policy: policy, actor: actor, admit: { true })
        return claimed ?? Claimed(outcome: .refused, position: nil)
    }

    private static func claimId(
        _ chain: ChainId, _ customer: CustomerId, _ policy: ClaimPolicy, before: String
    ) -> String {
        let parts = [
            chain.bundleId.rawValue, chain.originalTransactionId.rawValue, customer.rawValue,
            policy.rawValue, before,
        ]
        return "claim-" + EventKey.make(.command, parts).hexadecimal
    }

    // MARK: Appending

    private func append(
        _ command: Command, _ chain: ChainId?, source: EventSource, receivedAt: Timestamp?
    ) async throws(CommandError) -> CommandReceipt {
        let attributes = EventAttributes(
            kind: .command, source: source, trust: .operator,
            bundleId: chain?.bundleId ?? BundleId(""), chain: chain?.originalTransactionId)
        let (result, logged) = try await storing { () throws(StoreError) in
            let evidence = try ledger.log.packer.pack(.verbatim(command.evidence(about: chain)))
            let event = NewEvent(
                key: CommandIntake.key(command.id), attributes: attributes,
                receivedAt: receivedAt ?? clock(), receivedAtClaimed: receivedAt != nil,
                evidence: evidence)
            let results =
                if let appending { try await appending([event]) } else {
                    try await ledger.log.append([event])
                }
            let result = results.first
            return (result, try await ledger.log.event(at: result?.position ?? 0))
        }
        guard let result, let logged else {
            throw CommandError(
                StoreError(
                    .closed, reason: "The log did not say where the command stands.",
                    remedy: "Send it again under the same key."))
        }
        var isRepeated = false
        switch result {
        case .appended: break
        case .duplicate: isRepeated = true
        case .conflict:
            // Another process was quicker, perhaps with the same command under another token.
            guard let known = try await self.known(command, chain) else {
                throw CommandIntake.reused(command.id)
            }
            return known
        }
        return CommandReceipt(
            command: command, chain: chain, position: result.position,
            receivedAt: logged.event.receivedAt, isRepeated: isRepeated)
    }

    /// The answer to a command whose key is known; nil for a new one. Which token sent it is no part
    /// of what was decided: a repetition after a token was replaced is one, and is answered with the
    /// name of the first.
    private func known(
        _ command: Command, _ chain: ChainId?
    ) async throws(CommandError) -> CommandReceipt? {
        let found = try await storing { () throws(StoreError) in
            let known = try await ledger.log.event(key: CommandIntake.key(command.id))
            return (known, try known?.originalBytes())
        }
        guard let known = found.0 else { return nil }
        var command = command
        command.tokenName =
            found.1.flatMap { try? JSONValue.parse($0) }?["tokenName"]?.string
        guard found.1 == command.evidence(about: chain) else {
            throw CommandIntake.reused(command.id)
        }
        return CommandReceipt(
            command: command, chain: chain, position: known.event.position,
            receivedAt: known.event.receivedAt, isRepeated: true)
    }

    package static func reused(_ id: String) -> CommandError {
        CommandError(
            .idempotencyKeyReused,
            "Another request was sent under the key \(id) before; nothing changed. Use a new key"
                + " for a new request.")
    }

    private func storing<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(StoreError) { return try await body() } catch { throw CommandError(error) }
    }
}
