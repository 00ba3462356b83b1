internal import Dispatch
internal import LedgerStore
internal import Synchronization

/// Makes pieces of work one ahead of who takes them, on another thread: merging goes on while what
/// was merged before is inserted.
///
/// Both sides block: for threads off the cooperative pool only.
final class Ahead<Piece: Sendable>: Sendable {
    private let make: @Sendable () throws(StoreError) -> Piece?
    private let queue = DispatchQueue(label: "subledger.ahead")
    private let made = Mutex<Result<Piece?, StoreError>?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    /// Begins at once.
    ///
    /// - Parameter make: the next piece; nil at the end. Called by one thread at a time, and not any
    ///   more after nil or an error.
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

    /// Waits for the next piece, while the one after it is begun; nil at the end, and only once.
    func next() throws(StoreError) -> Piece? {
        isMade.wait()
        let result = made.withLock { $0.take() }
        guard let piece = try result?.get() else { return nil }
        begin()
        return piece
    }
}
