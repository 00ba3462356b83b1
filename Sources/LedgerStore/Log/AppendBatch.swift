internal import AppStore

/// One `append` call waiting for its answer.
package struct AppendBatch: Sendable {
    package typealias Answer = Result<[AppendResult], StoreError>

    package let events: [NewEvent]
    /// `StoredSize` of the events.
    package let byteCount: Int
    /// Whether the batch has no events but must write: it tests whether a log that failed can be
    /// written again.
    package var isProbe = false
    /// Whether the probe also tests that there is room for events (`LogStatements.takeRoom`).
    package var takesRoom = false
    /// Refuses the batch where events after the scope's position may belong to the erasure.
    package var erasure: ErasureScope?
    /// Refuses the batch where the log has an erasure after this position.
    package var erasuresThrough: Int64?
    /// Of the caller; set when the batch is queued.
    var continuation: CheckedContinuation<Answer, Never>?

    /// The stored size of `events`. Throws `batchTooLarge` over either bound.
    package static func measure(_ events: [NewEvent]) throws(StoreError) -> Int {
        var size = StoredSize()
        for event in events { size.add(event) }
        guard events.count <= LogLimits.batchEventCount, size.byteCount <= LogLimits.batchByteCount
        else {
            throw StoreError(
                .batchTooLarge,
                reason: """
                    One append admits \(LogLimits.batchEventCount) events and \
                    \(LogLimits.batchByteCount) stored bytes.
                    """,
                remedy: "Append the events in smaller batches.")
        }
        return size.byteCount
    }
}
