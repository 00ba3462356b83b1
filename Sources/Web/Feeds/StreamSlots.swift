import Synchronization

/// How many streams there are.
final class StreamSlots: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(limit: Int = StreamLimits.count) { self.limit = limit }

    /// A place for one stream; nil when there is none.
    func take() -> Slot? {
        let hasRoom = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return hasRoom ? Slot(slots: self) : nil
    }

    /// Given back when nobody holds it any more, whether or not the stream was ever written.
    final class Slot: Sendable {
        private let slots: StreamSlots

        fileprivate init(slots: StreamSlots) { self.slots = slots }

        deinit { slots.taken.withLock { $0 -= 1 } }
    }
}
