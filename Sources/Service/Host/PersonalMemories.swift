import Synchronization

// What a process remembers of persons besides its files. It forgets all of it when something is
// erased, here or by another process.

extension LedgerHost {
    /// Calls a function whenever something was erased, for what its caller remembers of persons.
    public func onErasure(_ forget: @escaping @Sendable () -> Void) {
        for served in ledgers { served.memories.withLock { $0.append(forget) } }
    }

    /// Has the host's own memories of one environment forgotten.
    func addMemories(of served: ServedLedger) {
        let environment = served.environment
        let forget = { @Sendable [refusedDecisions, acts, recoveryJobs, pageAnswers] in
            refusedDecisions.removeAll(in: environment)
            acts.removeAll(in: environment)
            recoveryJobs.removeEnded(in: environment)
            pageAnswers.removeAll()
        }
        served.memories.withLock { $0.append(forget) }
    }
}

extension ServedLedger {
    /// Forgets what is remembered of persons.
    func forgetPersons() {
        hotCustomers.removeAll()
        for forget in memories.withLock({ $0 }) { forget() }
    }
}
