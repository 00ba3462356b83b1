internal import LedgerStore
import Synchronization

/// Writes refused evidence to quarantine without letting a flood of it delay other work: few writes
/// at a time, and nothing is kept beyond a bound.
final class QuarantineQueue: Sendable {
    private let operations: any QuarantineStore
    private let state = Mutex(State())

    private struct State {
        var waiting: [Entry] = []
        var byteCount = 0
        var isDraining = false
    }

    private struct Entry {
        let item: NewQuarantineItem
        let continuation: CheckedContinuation<Result, Never>
    }

    enum Result: Sendable {
        case kept
        case full
        case failed(StoreError)
    }

    /// Maximum items waiting to be written.
    static let waitingCount = 256
    static let waitingByteCount = 16 * 1024 * 1024

    init(_ operations: any QuarantineStore) { self.operations = operations }

    /// Keeps an item if there is room for it.
    func keep(_ item: NewQuarantineItem) async -> Result {
        await withCheckedContinuation { continuation in
            let (isTaken, mustDrain) = state.withLock { state -> (Bool, Bool) in
                guard state.waiting.count < QuarantineQueue.waitingCount,
                    state.byteCount + item.bytes.count <= QuarantineQueue.waitingByteCount
                else { return (false, false) }
                state.waiting.append(Entry(item: item, continuation: continuation))
                state.byteCount += item.bytes.count
                defer { state.isDraining = true }
                return (true, !state.isDraining)
            }
            guard isTaken else { return continuation.resume(returning: .full) }
            // The caller waits for its own item only; the caller that found the queue idle starts
            // the drain.
            if mustDrain { Task { await drain() } }
        }
    }

    private func drain() async {
        while true {
            let group = state.withLock { state in
                let group = state.waiting
                state.waiting = []
                state.byteCount = 0
                state.isDraining = !group.isEmpty
                return group
            }
            guard !group.isEmpty else { return }
            do throws(StoreError) {
                let results = try await operations.quarantine(group.map(\.item))
                for (entry, result) in zip(group, results) {
                    entry.continuation.resume(returning: result == .refused ? .full : .kept)
                }
            } catch {
                for entry in group { entry.continuation.resume(returning: .failed(error)) }
            }
        }
    }
}
