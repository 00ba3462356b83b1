internal import AppStore
internal import Ledger
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
                    // Of many requests; the trace of the first would name it for all of them.
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
        let operations = served.ledger.operations
        do throws(StoreError) {
            let gone = try await erased(after: page.position, in: served)
            let records =
                gone.isEmpty
                ? page.records : page.records.filter { !gone.contains(ErasedChain($0.chain)) }
            try await operations.keep(records)
            // An erasure that was carried out meanwhile may have looked before the write.
            let late = try await erased(after: page.position, in: served).subtracting(gone)
            let chains =
                late.isEmpty
                ? [] : Set(records.map(\.chain)).filter { late.contains(ErasedChain($0)) }
            guard !chains.isEmpty else { return }
            try await operations.erase(chains: chains.sorted(), ids: [], positions: [])
            try await operations.purge()
        } catch {
            observer.lostRetentionRecords(page.records.count)
            observer.noted(.retentionUnrecorded(served.environment, error))
        }
    }

    /// The chains that the log erased after a position.
    private func erased(
        after position: Int64, in served: ServedLedger
    ) async throws(StoreError) -> Set<ErasedChain> {
        guard position < .max else { return [] }
        let log = served.ledger.log
        var chains: Set<ErasedChain> = []
        for position in try await log.erasurePositions(after: position, through: .max) {
            let evidence = try await log.event(at: position)?.originalBytes()
            chains.formUnion(evidence.flatMap { Erasure(evidence: $0) }?.chains ?? [])
        }
        return chains
    }
}
