import AppStore
import Ledger
internal import LedgerStore
internal import Projection

/// The records of answers to requests for retention messages.
extension LedgerHost {
    /// Counts an answer, and has it recorded.
    ///
    /// - Parameter position: that the answer includes; the largest where the record names no chain.
    func keep(_ record: RetentionRecord, answeredAt position: Int64, in served: ServedLedger) {
        observer.answeredRetention(record.outcome)
        switch retentionAnswers.add(record, at: position, in: served.environment) {
        case .waits: return
        case .full:
            noteLost(
                1, in: served.environment,
                "\(RetentionAnswers.waitingCount) answers to retention requests wait to be"
                    + " recorded; another one was dropped.")
        case .needsWriter:
            recording.start { [self] in await self.record(in: served) }
        }
    }

    /// Writes what waits. Of failures in a row the first one is noted: the records still wait.
    private func record(in served: ServedLedger) async {
        var isFailing = false
        await retentionAnswers.drain(served.environment) { page in
            // A page holds records of many requests, so it gets a trace of its own.
            let error = await TraceContext.$current.withValue(TraceContext()) {
                () async -> StoreError? in
                do throws(StoreError) {
                    try await store(page, in: served)
                    return nil
                } catch { return error }
            }
            if let error, !isFailing {
                observer.noted(
                    .failure(
                        "Answers to retention requests cannot be recorded; they wait", error,
                        served.environment))
            }
            isFailing = error != nil
            return !isFailing
        } pause: { duration in
            try? await Task.sleep(for: duration)
        } lost: { count in
            noteLost(
                count, in: served.environment,
                "\(count) answers to retention requests could not be recorded; they were dropped.")
        }
    }

    private func noteLost(_ count: Int, in environment: Environment, _ message: String) {
        observer.lostRetentionRecords(count)
        observer.noted(
            ServingNote(.warning, "retentionRecordsDropped", in: environment, message))
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
