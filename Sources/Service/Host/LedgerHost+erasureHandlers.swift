import Synchronization

// Data about persons that a process holds in memory. An erasure, here or by another process, clears
// all of it.

extension LedgerHost {
    /// Calls `forget` after every erasure, to clear what the caller holds about persons.
    public func onErasure(_ forget: @escaping @Sendable () -> Void) {
        for served in ledgers { served.erasureHandlers.withLock { $0.append(forget) } }
    }

    /// Adds the handler that clears what the host holds about persons of one environment.
    func addErasureHandlers(to served: ServedLedger) {
        let environment = served.environment
        let forget = { @Sendable [refusedDecisions, acts, recoveryJobs, pageAnswers] in
            refusedDecisions.removeAll(in: environment)
            acts.removeAll(in: environment)
            recoveryJobs.removeEnded(in: environment)
            pageAnswers.removeAll()
        }
        served.erasureHandlers.withLock { $0.append(forget) }
    }
}

extension ServedLedger {
    /// Clears all data about persons from memory.
    func forgetPersons() {
        if let snapshot = board.snapshot { hotCustomers.removeAll(before: snapshot) }
        for forget in erasureHandlers.withLock({ $0 }) { forget() }
    }
}
