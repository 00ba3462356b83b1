internal import AppStore
internal import LedgerStore
import Synchronization

/// Writes refused evidence to quarantine without letting a flood of it delay other work: few writes
/// at a time, and nothing is kept beyond a bound.
final class QuarantineQueue: Sendable {
    private let operations: any OperationalState
    private let state = Mutex(State())
    /// Items whose events could not be written, by payload hash: Apple may sign a repetition anew.
    private let unwritten = Mutex<[Digest: Int64]>([:])

    private struct State {
        /// In order of arrival; a group that is being written stays in front until it is stored.
        var waiting: [Entry] = []
        var byteCount = 0
        var isDraining = false
    }

    private struct Entry {
        let item: NewQuarantineItem
        let continuation: CheckedContinuation<Result<Int64?, StoreError>, Never>
    }

    /// Maximum items waiting to be written or being written.
    static let waitingCount = 256
    static let waitingByteCount = 16 * 1024 * 1024

    init(_ operations: any OperationalState) { self.operations = operations }

    /// Keeps an item and returns its id; nil where there is no room for it.
    func keep(_ item: NewQuarantineItem) async throws(StoreError) -> Int64? {
        let result: Result<Int64?, StoreError> = await withCheckedContinuation { continuation in
            let (isTaken, mustDrain) = state.withLock { state -> (Bool, Bool) in
                guard state.waiting.count < QuarantineQueue.waitingCount,
                    state.byteCount + item.bytes.count <= QuarantineQueue.waitingByteCount
                else { return (false, false) }
                state.waiting.append(Entry(item: item, continuation: continuation))
                state.byteCount += item.bytes.count
                defer { state.isDraining = true }
                return (true, !state.isDraining)
            }
            guard isTaken else { return continuation.resume(returning: .success(nil)) }
            // The caller waits for its own item only; the caller that found the queue idle starts
            // the drain.
            if mustDrain { Task { await drain() } }
        }
        return try result.get()
    }

    private func drain() async {
        while true {
            let group = state.withLock { state in
                state.isDraining = !state.waiting.isEmpty
                return state.waiting
            }
            guard !group.isEmpty else { return }
            let written = await Outcome { () throws(StoreError) in
                try await operations.quarantine(group.map(\.item))
            }
            // What is being written stays in memory, so it counts until then.
            state.withLock { state in
                state.waiting.removeFirst(group.count)
                state.byteCount -= group.reduce(0) { $0 + $1.item.bytes.count }
            }
            do throws(StoreError) {
                for (entry, result) in zip(group, try written.get()) {
                    let id: Int64? =
                        switch result {
                        case .kept(let id), .repeated(let id): id
                        case .refused: nil
                        }
                    entry.continuation.resume(returning: .success(id))
                }
            } catch {
                for entry in group { entry.continuation.resume(returning: .failure(error)) }
            }
        }
    }

    // MARK: Evidence that the log could not take

    /// Items remembered until they are delivered again; `quarantine retry` takes the others, and
    /// all of them after a restart.
    static let unwrittenCount = 10_000

    /// Remembers the item with an event that could not be written.
    func noteUnwritten(_ id: Int64, payloadHash: Digest) {
        unwritten.withLock { items in
            if items.count < QuarantineQueue.unwrittenCount { items[payloadHash] = id }
        }
    }

    /// Removes the item with this payload, which is now in the log, if it is remembered.
    func removeWritten(payloadHash: Digest) async {
        guard let id = unwritten.withLock({ $0.removeValue(forKey: payloadHash) }) else { return }
        // An item that stays is a duplicate in the next retry, and leaves with it.
        _ = try? await operations.removeFromQuarantine(id)
    }
}
