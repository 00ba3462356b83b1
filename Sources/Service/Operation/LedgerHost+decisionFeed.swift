public import AppStore
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import Reports
import Synchronization

/// A page of the decisions in a log, newest first.
public struct DecisionPage: Sendable, JSONObjectWritable {
    /// Links, grants and notes, and their withdrawals; claims of uploads are left out.
    public let decisions: [CommandReceipt]
    /// The position before which the next page continues; nil after the last page.
    public let next: Int64?
    /// Refused by this process, newest first; on the first page only.
    public let refused: [RefusedDecision]

    /// The object of `GET /v1/decisions`.
    public func writeMembers(to json: inout JSONWriter) {
        json.objects("decisions", decisions) { $1.writeMembers(to: &$0) }
        json.member("next", next)
        json.array("refused", refused)
    }
}

/// The decisions in a log, with actors and reasons.
extension LedgerHost {
    /// The decisions before a position (nil: the newest), newest first; `limit` is 1 to
    /// `maximumPageCount`. A page has fewer where a command is a claim, or cannot be read.
    ///
    /// Throws `ServingError` or `StoreError`.
    public func decisions(
        _ environment: Environment, before: Int64? = nil, limit: Int = LedgerHost.usualPageCount
    ) async throws -> DecisionPage {
        let log = try ledger(environment).ledger.log
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let head = try await log.head().position
        let positions = try await log.decisionPositions(
            through: min(head, before.map { max(1, $0) - 1 } ?? head), limit: limit + 1)
        var found: [CommandReceipt] = []
        for position in positions.prefix(limit) {
            if let decision = try await decision(at: position, in: log) { found.append(decision) }
        }
        return DecisionPage(
            decisions: found, next: positions.count > limit ? positions[limit - 1] : nil,
            refused: before == nil ? refusedDecisions.all(in: environment) : [])
    }

    /// The decision at a position; nil for a claim, and for what this release cannot read.
    private func decision(
        at position: Int64, in log: any LedgerLog
    ) async throws(StoreError) -> CommandReceipt? {
        guard let logged = try await log.event(at: position),
            let bytes = try? logged.originalBytes(),
            let command = (try? JSONValue.parse(bytes)).flatMap({ Command(evidence: $0) }),
            command.name != .claim
        else { return nil }
        return CommandReceipt(
            command: command, chain: logged.event.attributes.chainId, position: position,
            receivedAt: logged.event.receivedAt, isRepeated: false)
    }

    // MARK: Refusals

    /// Remembers a decision that was refused with the code of an error.
    public func noteRefused(
        _ action: Command.Action, about id: String?, _ order: CommandIntake.Order,
        in environment: Environment, code: String
    ) {
        // Texts that are refused for their length are cut, by scalars: a character has no bound.
        let command = Command(
            id: "", actor: String(order.actor.unicodeScalars.prefix(CommandLimits.actorByteCount)),
            reason: String(order.reason.unicodeScalars.prefix(CommandLimits.reasonByteCount)),
            action: action)
        refusedDecisions.note(
            RefusedDecision(
                at: clock(), code: code, command: command.name,
                actor: command.actor, tokenName: order.tokenName, reason: command.reason,
                customer: command.customer, subscription: id), in: environment)
    }

    /// The stable code of the error with which an answer failed.
    static func code(of error: any Error) -> String {
        switch error {
        case let error as CommandError: error.failure?.code.rawValue ?? error.code.rawValue
        case let error as MissingAnswer: error.error.code
        case let error as QueryError: error.code
        case let error as ServingError: error.code
        case let error as StoreError: error.code.rawValue
        case let error as MetricsError: error.code
        case let error as LookupFailure: error.code
        case let error as IntakeRefusal: error.code
        default: "internal"
        }
    }
}

/// A decision that was refused; nothing was written.
public struct RefusedDecision: Sendable, Equatable, JSONObjectWritable {
    public let at: Timestamp
    /// The code of the refusal.
    public let code: String
    public let command: Command.Name
    public let actor: String
    /// Of the sender's token; nil where none was required.
    public let tokenName: String?
    public let reason: String
    public let customer: CustomerId?
    /// The id by which a chain was named.
    public let subscription: String?

    public func writeMembers(to json: inout JSONWriter) {
        json.member("refused", true)
        json.member("at", at)
        json.member("code", code)
        json.member("command", command.rawValue)
        json.member("actor", actor)
        json.member("tokenName", tokenName)
        json.member("reason", reason)
        json.member("customer", customer)
        json.member("subscription", subscription)
    }
}

/// The last decisions that were refused by this process, per environment.
final class RefusedDecisions: Sendable {
    private let state = Mutex<[Environment: [RefusedDecision]]>([:])

    /// Refusals remembered in each environment; beyond it the oldest is forgotten.
    static let count = 200

    func note(_ refused: RefusedDecision, in environment: Environment) {
        state.withLock { state in
            state[environment, default: []].append(refused)
            if state[environment, default: []].count > RefusedDecisions.count {
                state[environment]?.removeFirst()
            }
        }
    }

    func removeAll(in environment: Environment) { state.withLock { $0[environment] = nil } }

    /// Newest first.
    func all(in environment: Environment) -> [RefusedDecision] {
        state.withLock { ($0[environment] ?? []).reversed() }
    }
}
