internal import AppStore
import Ledger

/// The times at which the clock will change chains, earliest first. Entries may be out of date; the
/// caller checks the chain again.
struct DueTimes: Sendable {
    private struct Entry: Hashable, Comparable, Sendable {
        let at: Timestamp
        let chain: ChainId

        static func < (left: Entry, right: Entry) -> Bool {
            (left.at, left.chain) < (right.at, right.chain)
        }
    }

    /// A binary heap.
    private var heap: [Entry] = []
    /// Later entries are dropped; all rows are scanned again by then.
    var windowEnd = Timestamp(milliseconds: .min)

    mutating func removeAll() { heap = [] }

    mutating func add(_ at: Timestamp, _ chain: ChainId) {
        guard at <= windowEnd else { return }
        heap.append(Entry(at: at, chain: chain))
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next(by time: Timestamp) -> ChainId? {
        guard let first = heap.first, first.at <= time else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.chain }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return first.chain }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
