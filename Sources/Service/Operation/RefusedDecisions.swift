public import AppStore
public import Ledger
import Synchronization

/// A decision that was refused; nothing was written.
public struct RefusedDecision: Sendable, Equatable, JSONWritable {
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

    public func write(to json: inout JSONWriter) {
        json.object { json in
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
