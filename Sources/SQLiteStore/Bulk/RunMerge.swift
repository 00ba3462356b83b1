internal import LedgerStore

/// Several runs read as one, in ascending key order: a binary heap of their readers.
struct RunMerge {
    private var heap: [RunReader] = []

    init(_ files: [RunFile]) throws(StoreError) {
        for file in files {
            let reader = RunReader(file)
            if try reader.next() { heap.append(reader) }
        }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    /// The reader positioned on the record with the smallest key; nil after the last.
    var first: RunReader? { heap.first }

    /// Advances past that record.
    mutating func advance() throws(StoreError) {
        guard let reader = heap.first else { return }
        if try !reader.next() {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
        }
        sink(0)
    }

    private mutating func sink(_ index: Int) {
        var index = index
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if RunOrder.compare(heap[child].key, heap[smallest].key) < 0 { smallest = child }
            }
            guard smallest != index else { return }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
