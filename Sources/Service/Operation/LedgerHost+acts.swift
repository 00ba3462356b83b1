import AppStore
import Ledger
internal import LedgerStore
internal import Queries
import Synchronization

/// Acts of operators on the ledger itself. Actor and reason are logged.
extension LedgerHost {
    /// Runs an operator's act, once per key. Serializes acts under one key, and acts of one name on
    /// one subject in an environment.
    ///
    /// - Parameters:
    ///   - name: of the act, in the log.
    ///   - subject: what it concerns, where acts on different ones do not wait for each other.
    ///   - request: everything that distinguishes it from another under the same key.
    ///
    /// Throws `CommandError` for an invalid order or a key of another request, `ServingError`, and
    /// what `body` throws.
    func act<Value: Sendable>(
        _ name: String, on subject: String = "", _ request: [String],
        _ order: CommandIntake.Order, in served: ServedLedger, _ body: () async throws -> Value
    ) async throws -> OperatorAct<Value> {
        try CommandCheck.check(order)
        let environment = served.environment
        guard let text = order.key else {
            let value = try await inTurn(name, subject, order, environment, body)
            return OperatorAct(value: value, isRepeated: false)
        }
        let key = ActMemory.Key(environment: environment, key: text)
        let whole = ([name, order.actor, order.reason] + request).joined(separator: "\u{1F}")
        // Always locked before the name: two acts may arrive under one key at once.
        return try await actKeyTurns.pass("\(environment.rawValue) \(text)") {
            if let known = acts.known(key) {
                guard known.request == whole, let value = known.value as? Value else {
                    throw CommandIntake.reused(text)
                }
                return OperatorAct(value: value, isRepeated: true)
            }
            let value = try await inTurn(name, subject, order, environment, body)
            acts.keep(key, whole, value)
            return OperatorAct(value: value, isRepeated: false)
        }
    }

    /// Runs an act after others of its name and subject, and notes it in the log; also where it
    /// fails, since it may have done a part. An `OperatorError` says that nothing was done.
    private func inTurn<Value: Sendable>(
        _ name: String, _ subject: String, _ order: CommandIntake.Order,
        _ environment: Environment, _ body: () async throws -> Value
    ) async throws -> Value {
        try await actTurns.pass("\(environment.rawValue) \(name) \(subject)") {
            do {
                let value = try await body()
                note(name, order, environment)
                return value
            } catch {
                if !(error is OperatorError) {
                    note("\(name), failed with \(LedgerHost.code(of: error)),", order, environment)
                }
                throw error
            }
        }
    }

    func note(_ act: String, _ order: CommandIntake.Order, _ environment: Environment) {
        observer.noted(
            .operatorAct(environment, act: act, actor: order.actor, reason: order.reason))
    }

    /// The answer to an act. Throws `environmentNotServed`.
    package func answer<Value: JSONWritable>(
        _ act: OperatorAct<Value>, _ environment: Environment
    ) throws(ServingError) -> RepeatableAnswer {
        try answer(act, environment) { $1.write(to: &$0) }
    }

    /// The same, written by a closure.
    package func answer<Value>(
        _ act: OperatorAct<Value>, _ environment: Environment,
        _ write: (inout JSONWriter, Value) -> Void
    ) throws(ServingError) -> RepeatableAnswer {
        RepeatableAnswer(
            answer: try answer(environment) { write(&$0, act.value) }, isRepeated: act.isRepeated)
    }
}

/// The results of operators' acts under an `Idempotency-Key`, in this process.
final class ActMemory: Sendable {
    private let state = Mutex(State())

    /// Acts remembered; beyond it the oldest is forgotten.
    static let count = 1_000

    struct Key: Hashable {
        let environment: Environment
        let key: String
    }

    private struct State {
        var entries: [Key: (request: String, value: any Sendable)] = [:]
        var order: [Key] = []
    }

    /// The request of a key and its result; nil for an unknown key.
    func known(_ key: Key) -> (request: String, value: any Sendable)? {
        state.withLock { $0.entries[key] }
    }

    func keep(_ key: Key, _ request: String, _ value: any Sendable) {
        state.withLock { state in
            if state.entries.updateValue((request, value), forKey: key) == nil {
                state.order.append(key)
            }
            guard state.order.count > ActMemory.count else { return }
            state.entries[state.order.removeFirst()] = nil
        }
    }

    /// Forgets every act in an environment: requests name persons.
    func removeAll(in environment: Environment) {
        state.withLock { state in
            state.entries = state.entries.filter { $0.key.environment != environment }
            state.order.removeAll { $0.environment == environment }
        }
    }
}

/// The result of an operator's act.
public struct OperatorAct<Value: Sendable>: Sendable {
    public let value: Value
    /// Whether the same request was answered before under this key; nothing was done now.
    public let isRepeated: Bool
}
