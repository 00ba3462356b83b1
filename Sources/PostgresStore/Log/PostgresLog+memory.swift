internal import LedgerStore
internal import Synchronization

/// The memory of this node, in its own directory.
extension PostgresLog {
    /// Writes the memory now, at each `checkpoint` and at `close`.
    func remember(in directory: String) throws(StoreError) {
        try NodeMemory(ledger: ledgerId.description, seen: lastSeen).write(to: directory)
        memory.withLock { $0 = (directory, lastSeen) }
    }

    /// Writes the memory if it changed.
    func remember() throws(StoreError) {
        let last = lastSeen
        let directory = memory.withLock { memory -> String? in
            guard let held = memory, held.seen != last else { return nil }
            return held.directory
        }
        if let directory { try remember(in: directory) }
    }
}
