import Synchronization

/// What a process remembers of persons besides its files. It forgets all of it when something is
/// erased, here or by another process.
final class PersonalMemories: Sendable {
    typealias Forgetting = @Sendable () -> Void

    private let memories = Mutex<[Forgetting]>([])

    /// Adds a memory: how it is forgotten.
    func add(_ forget: @escaping Forgetting) { memories.withLock { $0.append(forget) } }

    func forget() {
        for forget in memories.withLock({ $0 }) { forget() }
    }
}

extension LedgerHost {
    /// Calls a function whenever something was erased, for what its caller remembers of persons.
    public func onErasure(_ forget: @escaping @Sendable () -> Void) {
        for served in ledgers { served.memories.add(forget) }
    }

    /// Has the host's own memories of one environment forgotten.
    func addMemories(of served: ServedLedger) {
        let environment = served.environment
        served.memories.add { [refusedDecisions, acts, recoveryJobs, pageAnswers] in
            refusedDecisions.removeAll(in: environment)
            acts.removeAll(in: environment)
            recoveryJobs.removeEnded(in: environment)
            pageAnswers.removeAll()
        }
    }
}

extension ServedLedger {
    /// Forgets what is remembered of persons.
    func forgetPersons() {
        hotCustomers.removeAll()
        memories.forget()
    }
}
