internal import LedgerStore
internal import Synchronization

/// The memory of this node, in its own directory.
extension PostgresLog {
    /// Uses the memory in a directory, without rewriting it.
    func keep(_ memory: NodeMemory, in directory: String) {
        self.memory.withLock { $0 = (directory, memory) }
    }

    /// Writes the memory now, at each `checkpoint` and at `close`.
    func remember(as node: String, in directory: String) throws(StoreError) {
        let memory = NodeMemory(node: node, ledger: ledgerId.description, seen: lastSeen)
        try memory.write(to: directory)
        keep(memory, in: directory)
    }

    /// Writes the memory if it changed.
    func remember() throws(StoreError) {
        let last = lastSeen
        let held = memory.withLock { $0 }
        guard let held, held.memory.seen != last else { return }
        try remember(as: held.memory.node, in: held.directory)
    }
}
