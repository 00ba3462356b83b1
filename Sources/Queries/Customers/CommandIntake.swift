public import AppStore
import Foundation
public import Ledger
public import LedgerStore
public import Projection

/// Accepts commands of operators and back ends: checked against the current state, appended, and
/// durable on return. Projections follow.
public struct CommandIntake: Sendable {
    private let ledger: EnvironmentLedger
    /// Returns the current time.
    private let clock: @Sendable () -> Timestamp
    /// Appends events; nil appends to the log without notifying other parts.
    private let appending: Appending?

    /// As `LedgerLog.append(_:notErasedAfter:)`.
    public typealias Appending =
        @Sendable ([NewEvent], Int64?) async throws(StoreError) -> [AppendResult]

    /// The actor and reason of a command, and the key that identifies a repetition.
    public struct Order: Sendable {
        public var actor: String
        /// The name of the sender's token; nil where no authentication was required.
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

    public init(
        ledger: EnvironmentLedger, clock: @escaping @Sendable () -> Timestamp,
        appending: Appending? = nil
    ) {
        self.ledger = ledger
        self.clock = clock
        self.appending = appending
    }

    /// Appends a command about a chain (`link`, `unlink`, `note`) or a customer (`grant`,
    /// `ungrant`, `note`). Repeating a command under the same key returns the first result.
    ///
    /// The caller checks that the chain exists; nil for a command about a customer. `position` is
    /// that of the state in which the chain exists: where the chain or the customer was erased
    /// after it, the command is refused (`erasureOvertaken`). Nil compares nothing.
    public func run(
        _ action: Command.Action, about chain: ChainId?, asOf position: Int64? = nil,
        _ order: Order
    ) async throws(CommandError) -> CommandReceipt {
        let command = Command(
            id: order.key ?? UUID().uuidString.lowercased(), actor: order.actor,
            tokenName: order.tokenName, reason: order.reason, action: action)
        try CommandCheck.check(command)
        if let known = try await known(command, chain) { return known }
        try CommandCheck.checkPerson(command)
        try await checkAgainstKnown(command, chain, at: clock())
        return try await append(
            command, chain, source: .operator, receivedAt: nil, asOf: position)
    }

    /// Appends a decision made at another time or in another ledger, with that time as claimed; for
    /// stories. It is not checked against the current state.
    package func repeatDecision(
        _ command: Command, about chain: ChainId?, receivedAt: Timestamp
    ) async throws(CommandError) -> CommandReceipt {
        try CommandCheck.check(command)
        if let known = try await known(command, chain) { return known }
        return try await append(command, chain, source: .import, receivedAt: receivedAt)
    }

    private static func key(_ id: String) -> Digest { EventKey.make(.command, [id]) }

    // MARK: Checks

    /// Checks that there is something to unlink or withdraw.
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
            let holders = try await life(of: chain).holders.spans.last?.holders ?? []
            if holders.contains(where: { $0.customer == customer && $0.authority != .token }) {
                return
            }
            throw CommandError(
                .notLinked,
                "\(chain.originalTransactionId) is not linked to \(customer). A link by"
                    + " appAccountToken cannot be removed: link the chain to another customer.")
        case .ungrant(let customer, let id):
            let grants = Grant.grants(try await life(of: ChainId(customer: customer)).commands)
            guard grants.contains(where: { $0.isNamed(id) && $0.withdrawnAt == nil }) else {
                throw CommandError(
                    .noSuchGrant,
                    "\(customer) has no active grant \(id); the customer's timeline lists them.")
            }
        }
    }

    private func facts(of chain: ChainId) async throws(CommandError) -> [Fact] {
        try await storing { () throws(StoreError) in try await ledger.presentFacts(of: chain) }
    }

    private func life(of chain: ChainId) async throws(CommandError) -> Lifecycle {
        ledger.life(of: try await facts(of: chain))
    }

    // MARK: Claims

    /// The result of a claim.
    public struct Claimed: Hashable, Sendable {
        public let outcome: Holders.ClaimOutcome
        /// The log position of the claim that was judged; nil if nothing had to be written, and for
        /// a repetition without effect.
        public let position: Int64?
        /// Whether the claim was written now, not by the same upload sent concurrently.
        public let isWritten: Bool

        public init(outcome: Holders.ClaimOutcome, position: Int64?, isWritten: Bool = false) {
            self.outcome = outcome
            self.position = position
            self.isWritten = isWritten
        }
    }

    /// Applies the claim of an upload that names a customer to a chain whose evidence was verified
    /// and appended (`POST /v1/transactions`; `Lifecycle.md` §6). Only claims that change the
    /// holders are written. The result is the outcome at the claim's own position: of concurrent
    /// claims, each gets its own effect, not the final state. A known claim is not written again,
    /// under any actor; one that was undone since has no effect, nor has another one by that
    /// customer while no customer holds the chain. One that gave way to another customer's link or
    /// claim is made anew once that is removed.
    ///
    /// - Parameters:
    ///   - actor: the uploader, as far as the service can identify it.
    ///   - admit: called before the claim is written; false writes nothing and returns nil.
    package func claim(
        _ chain: ChainId, for customer: CustomerId, policy: ClaimPolicy, actor: String,
        admit: () -> Bool
    ) async throws(CommandError) -> Claimed? {
        let life = try await life(of: chain)
        let holders = life.holders
        let now = clock()
        let present = holders.holders(at: now)
        let isUndone = present.isEmpty && holders.isClaimUndone(of: customer)
        let outcome =
            isUndone ? .refused : holders.outcome(of: customer, policy: policy, at: now)
        guard outcome == .moved || outcome == .added else {
            try CommandCheck.check(customer)
            return Claimed(outcome: outcome, position: nil)
        }
        // The id includes the current holders: repeating an upload repeats the claim, unless the
        // holders changed in between. A token is restated by later events, so its cause changes.
        var before = present.map {
            $0.authority == .token ? "token:\($0.customer.rawValue)" : String($0.cause)
        }.joined(separator: ",")
        var command = Command(
            id: CommandIntake.claimId(chain, customer, policy, before: before), actor: actor,
            reason: "Uploaded a transaction of it.", action: .claim(customer, policy: policy))
        try CommandCheck.check(command)
        try CommandCheck.checkPerson(command)
        var known = try await stored(command.id)
        if known == nil, present.contains(where: { $0.authority == .token }) {
            // Earlier releases named a token's customer, too, by the event that stated the token.
            let former = present.map { String($0.cause) }.joined(separator: ",")
            let id = CommandIntake.claimId(chain, customer, policy, before: former)
            known = try await stored(id)
            if known != nil { (before, command.id) = (former, id) }
        }
        if known != nil, !holders.isClaimUndone(of: customer), let unlink = holders.lastUnlink() {
            before += ";\(unlink)"
            command.id = CommandIntake.claimId(chain, customer, policy, before: before)
            known = try await stored(command.id)
        }
        // An erased claim belongs to an earlier life of the chain, and a client may have used the
        // id for another command: this claim is a new decision then.
        while let earlier = known, CommandIntake.decision(command, chain, in: earlier) == nil {
            before += ";\(earlier.event.position)"
            command.id = CommandIntake.claimId(chain, customer, policy, before: before)
            known = try await stored(command.id)
        }
        let receipt: CommandReceipt
        if let known {
            receipt = CommandReceipt(command, chain, repeating: known.event)
        } else {
            guard admit() else { return nil }
            receipt = try await append(command, chain, source: .client, receivedAt: nil)
        }
        let facts = try await facts(of: chain)
        // The repetition of a claim that was undone before, or erased meanwhile, has no effect.
        guard !life.commands.contains(where: { $0.position == receipt.position }),
            facts.contains(where: { $0.position == receipt.position })
        else { return Claimed(outcome: .refused, position: nil, isWritten: !receipt.isRepeated) }
        // A concurrent claim may have been appended first; judge this one by the holders before it.
        let judged = ledger.life(of: facts.filter { $0.position < receipt.position }).holders
            .outcome(of: customer, policy: policy, at: receipt.receivedAt)
        return Claimed(
            outcome: judged, position: receipt.position, isWritten: !receipt.isRepeated)
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
        _ command: Command, _ chain: ChainId?, source: EventSource, receivedAt: Timestamp?,
        asOf position: Int64? = nil
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
            let names = [chain, command.customer.map { ChainId(customer: $0) }]
                .compactMap { $0 }
            let result = try await append(event, naming: names, asOf: position)
            return (result, try await ledger.log.event(at: result?.position ?? 0))
        }
        guard let result, let logged else {
            throw CommandError(
                StoreError(
                    .closed, reason: "The log did not return the position of the command.",
                    remedy: "Send it again with the same key."))
        }
        var isRepeated = false
        switch result {
        case .appended: break
        case .duplicate: isRepeated = true
        case .conflict:
            // Another process was first, possibly with the same command under another token.
            guard let known = try await self.known(command, chain) else {
                throw CommandIntake.reused(command.id)
            }
            return known
        }
        return CommandReceipt(
            command: command, chain: chain, position: result.position,
            receivedAt: logged.event.receivedAt, isRepeated: isRepeated)
    }

    /// Appends an event. After an erasure, only where it erased none of the chains.
    private func append(
        _ event: NewEvent, naming chains: [ChainId], asOf position: Int64?
    ) async throws(StoreError) -> AppendResult? {
        var position = position
        while true {
            do throws(StoreError) {
                if let appending { return try await appending([event], position).first }
                return try await ledger.log.append([event], notErasedAfter: position).first
            } catch {
                guard error.code == .erasureOvertaken, let start = position else { throw error }
                let erased = try await ledger.log.erasedChains(after: start)
                let all = try await ledger.log.erasurePositions(after: start, through: .max)
                // A damaged erasure does not say what it erased.
                guard let end = all.last, Set(erased.values).isSuperset(of: all),
                    !chains.contains(where: { erased[ErasedChain($0)] != nil })
                else {
                    throw StoreError(
                        .erasureOvertaken,
                        reason: "What the request is about was erased meanwhile.",
                        remedy: "Nothing was written. If it still applies, send it again.")
                }
                position = end
            }
        }
    }

    /// The result of a command whose key is known; nil for a new one. The token is not part of the
    /// decision: a repetition under another token still counts as one, and the result has the
    /// name of the first token. The actor of a claim is the name of the uploader's token.
    private func known(
        _ command: Command, _ chain: ChainId?
    ) async throws(CommandError) -> CommandReceipt? {
        guard let known = try await stored(command.id) else { return nil }
        guard let first = CommandIntake.decision(command, chain, in: known) else {
            throw CommandIntake.reused(command.id)
        }
        return CommandReceipt(first, chain, repeating: known.event)
    }

    /// The decision as an event has it; nil for an erased one, and for another.
    private static func decision(
        _ command: Command, _ chain: ChainId?, in stored: StoredCommand
    ) -> Command? {
        guard let bytes = stored.bytes, let first = try? JSONValue.parse(bytes)
        else { return nil }
        var command = command
        command.tokenName = first["tokenName"]?.string
        if case .claim = command.action {
            command.actor = first["actor"]?.string ?? command.actor
        }
        return bytes == command.evidence(about: chain) ? command : nil
    }

    private typealias StoredCommand = (event: RecordedEvent, bytes: [UInt8]?)

    /// The event under the key of a command, and its evidence: nil where it was erased.
    private func stored(_ id: String) async throws(CommandError) -> StoredCommand? {
        try await storing { () throws(StoreError) -> StoredCommand? in
            guard let known = try await ledger.log.event(key: CommandIntake.key(id)) else {
                return nil
            }
            // Another node's row may be visible before it is durable.
            if let log = ledger.log as? any SharedLog { try await log.confirmVisible() }
            return (known.event, try known.originalBytes())
        }
    }

    package static func reused(_ id: String) -> CommandError {
        CommandError(
            .idempotencyKeyReused,
            "The key \(id) was already used for another request; nothing changed. Use a new key"
                + " for a new request.")
    }

    private func storing<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(CommandError) -> Value {
        do throws(StoreError) { return try await body() } catch { throw CommandError(error) }
    }
}

extension CommandReceipt {
    /// The receipt of a command that repeats an event of the log.
    fileprivate init(_ command: Command, _ chain: ChainId?, repeating event: RecordedEvent) {
        self.init(
            command: command, chain: chain, position: event.position,
            receivedAt: event.receivedAt, isRepeated: true)
    }
}
