internal import Dispatch
internal import LedgerStore
internal import Synchronization

/// Produces work items on another thread, one ahead of the consumer, so that merging overlaps with
/// inserting.
///
/// Both sides block: use it from threads off the cooperative pool only.
final class Prefetcher<Piece: Sendable>: Sendable {
    private let make: @Sendable () throws(StoreError) -> Piece?
    private let queue = DispatchQueue(label: "subledger.ahead")
    private let made = Mutex<Result<Piece?, StoreError>?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    /// Starts immediately.
    ///
    /// - Parameter make: returns the next item; nil at the end. Called by one thread at a time, and
    ///   not after nil or an error.
    init(_ make: @escaping @Sendable () throws(StoreError) -> Piece?) {
        self.make = make
        begin()
    }

    private func begin() {
        queue.async {
            let result = Result { () throws(StoreError) in try self.make() }
            self.made.withLock { $0 = result }
            self.isMade.signal()
        }
    }

    /// Waits for the next item and starts the one after it; nil at the end, once only.
    func next() throws(StoreError) -> Piece? {
        isMade.wait()
        let result = made.withLock { $0.take() }
        guard let piece = try result?.get() else { return nil }
        begin()
        return piece
    }
}
