/// Splits events into batches that one append accepts.
package struct EventBatches: Sequence, IteratorProtocol {
    private var rest: ArraySlice<NewEvent>

    package init(_ events: [NewEvent]) { rest = events[...] }

    package mutating func next() -> ArraySlice<NewEvent>? {
        guard !rest.isEmpty else { return nil }
        var end = rest.startIndex
        var size = StoredSize()
        while end < rest.endIndex, end - rest.startIndex < LogLimits.batchEventCount {
            size.add(rest[end])
            if end > rest.startIndex, size.byteCount > LogLimits.batchByteCount { break }
            end += 1
        }
        defer { rest = rest[end...] }
        return rest[..<end]
    }
}
