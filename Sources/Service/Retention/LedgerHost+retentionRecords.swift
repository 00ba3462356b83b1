import AppStore
import Ledger
internal import LedgerStore
internal import Projection

/// The records of answers to requests for retention messages.
extension LedgerHost {
    /// Wait after a page that was not full, so that one transaction holds many records.
    static let retentionWriteInterval: Duration = .milliseconds(100)

    /// Counts an answer, and has it recorded.
    ///
    /// - Parameter position: that the answer includes; the largest where the record names no chain.
    func keep(_ record: RetentionRecord, answeredAt position: Int64, in served: ServedLedger) {
        observer.answeredRetention(record.outcome)
        switch retentionAnswers.add(record, at: position, in: served.environment) {
        case .waits: return
        case .full:
            observer.lostRetentionRecords(1)
            observer.noted(.retentionRecordsDropped(served.environment))
        case .needsWriter:
            recording.start { [self] in
                while let page = retentionAnswers.page(in: served.environment) {
                    // A page holds records of many requests, so it gets a trace of its own.
                    await TraceContext.$current.withValue(TraceContext()) {
                        await write(page, in: served)
                    }
                    guard page.records.count < RetentionAnswers.pageCount else { continue }
                    try? await Task.sleep(for: LedgerHost.retentionWriteInterval)
                }
            }
        }
    }

    private func write(_ page: RetentionAnswers.Page, in served: ServedLedger) async {
        do throws(StoreError) { try await store(page, in: served) } catch {
            observer.lostRetentionRecords(page.records.count)
            observer.noted(.retentionUnrecorded(served.environment, error))
        }
    }

    /// Stores records, except those of chains that were erased after what their answers include.
    /// Checks again if an erasure comes between the check and the write, so that no crash leaves a
    /// record that the erasure missed.
    ///
    /// - Parameter looked: called between the check and the write; for tests.
    func store(
        _ page: RetentionAnswers.Page, in served: ServedLedger,
        looked: @Sendable () async -> Void = {}
    ) async throws(StoreError) {
        let operations = served.ledger.operations
        var isStored = false
        while !isStored {
            let count = try await operations.erasureCount()
            let gone = try await served.ledger.log.erasedChains(after: page.position)
            let records =
                gone.isEmpty
                ? page.records : page.records.filter { gone[ErasedChain($0.chain)] == nil }
            await looked()
            isStored = try await operations.keep(records, erasures: count)
        }
    }
}
