/// The batches waiting for their commit, in order of arrival. Bounded: a batch that does not fit is
/// refused immediately.
package struct AppendQueue: Sendable {
    private var waiting: [AppendBatch] = []
    /// Events and stored bytes not yet answered, including those being written.
    package private(set) var eventCount = 0
    package private(set) var byteCount = 0

    package init() {
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Batches not taken yet.
    package var waitingBatchCount: Int { waiting.count }

    /// Events not taken yet.
    package var waitingEventCount: Int { waiting.reduce(0) { $0 + $1.events.count } }

    /// False when the queue is full; the batch is then not kept.
    package mutating func add(_ batch: AppendBatch) -> Bool {
        guard eventCount + batch.events.count <= LogLimits.queueEventCount,
            byteCount + batch.byteCount <= LogLimits.queueByteCount
        else { return false }
        eventCount += batch.events.count
        byteCount += batch.byteCount
        waiting.append(batch)
        return true
    }

    /// As many batches as one transaction admits, oldest first; empty when none is waiting. A probe
    /// gets a separate group: it must write, while an append of known events is answered even where
    /// nothing can be written.
    package mutating func takeGroup() -> [AppendBatch] {
        var count = 0
        var (events, bytes) = (0, 0)
        for batch in waiting {
            events += batch.events.count
            bytes += batch.byteCount
            let fits =
                events <= LogLimits.batchEventCount && bytes <= LogLimits.batchByteCount
            guard count == 0 || (fits && !batch.isProbe) else { break }
            count += 1
            if batch.isProbe { break }
        }
        let group = Array(waiting.prefix(count))
        // Removed immediately: under sustained load the queue is never empty.
        waiting.removeFirst(count)
        return group
    }

    /// Frees the queue space of batches that were answered.
    package mutating func release(_ group: [AppendBatch]) {
        for batch in group {
            eventCount -= batch.events.count
            byteCount -= batch.byteCount
        }
    }
}
