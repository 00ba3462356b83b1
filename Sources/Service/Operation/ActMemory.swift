import AppStore
import Synchronization

/// What came of operators' acts under an `Idempotency-Key`, in this process.
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

    /// What is known of a key: nil, or the request it belongs to and what came of it.
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

/// What came of an operator's act.
public struct OperatorAct<Value: Sendable>: Sendable {
    public let value: Value
    /// Whether the same request was answered before under this key; nothing was done now.
    public let isRepeated: Bool
}
