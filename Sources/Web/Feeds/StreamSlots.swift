import Synchronization

/// Limits the number of streams.
final class StreamSlots: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(limit: Int = StreamLimits.count) { self.limit = limit }

    /// A slot for one stream; nil when none is free.
    func take() -> Slot? {
        let hasRoom = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return hasRoom ? Slot(slots: self) : nil
    }

    /// Released when its last reference goes, whether or not the stream was ever written.
    final class Slot: Sendable {
        private let slots: StreamSlots

        fileprivate init(slots: StreamSlots) { self.slots = slots }

        deinit { slots.taken.withLock { $0 -= 1 } }
    }
}
