import AppStore
import Ledger
internal import LedgerStore
internal import Projection

/// The records of answers to requests for retention messages.
extension LedgerHost {
    /// Wait after a page that was not full, so that one transaction holds many records.
    static let retentionWriteInterval: Duration = .milliseconds(100)
    /// Wait until the log is read again for erasures.
    static let retentionCheckInterval: Duration = .seconds(1)

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
        var records = page.records
        do throws(StoreError) {
            let gone = try await erased(after: page.position, in: served)
            if !gone.isEmpty { records.removeAll { gone.contains(ErasedChain($0.chain)) } }
            try await served.ledger.operations.keep(records)
        } catch {
            observer.lostRetentionRecords(page.records.count)
            observer.noted(.retentionUnrecorded(served.environment, error))
        }
        // An erasure that was carried out meanwhile may have looked before the write, which may be
        // durable although it failed. Until this is known nothing more is written, and what waits
        // beyond its bound is counted as lost.
        let chains = Set(records.map(\.chain))
        while await !isFree(of: chains, erasedAfter: page.position, in: served) {
            do { try await Task.sleep(for: LedgerHost.retentionCheckInterval) } catch { return }
        }
    }

    /// Removes the records of chains that were erased while these were being written; false when
    /// it has to be tried again.
    private func isFree(
        of chains: Set<ChainId>, erasedAfter position: Int64, in served: ServedLedger
    ) async -> Bool {
        let operations = served.ledger.operations
        do throws(StoreError) {
            let gone = try await erased(after: position, in: served)
            let overtaken = gone.isEmpty ? [] : chains.filter { gone.contains(ErasedChain($0)) }
            guard !overtaken.isEmpty else { return true }
            try await operations.erase(chains: overtaken.sorted(), ids: [], positions: [])
            try await operations.purge()
            return true
        } catch {
            return false
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
