internal import Dispatch
internal import GRDB
internal import LedgerStore
internal import Synchronization

/// What follows a COMMIT that failed: an unknown outcome, never a known loss.
extension EventLog {
    /// A COMMIT failed. Closes the connection, whose view of the file cannot be trusted, opens
    /// another, and asks the file; what is not there is appended once more.
    func recover(
        _ group: [AppendBatch], _ trace: AppendTrace, _ answers: [AppendBatch.Answer],
        _ failure: StoreError
    ) {
        let old = state.withLock { $0.takeWriter() }
        try? old?.close()
        do throws(StoreError) {
            let writer = try reopenedWriter()
            state.withLock { $0.writer = writer }
            writer.asyncWriteWithoutTransaction { [self] database in
                resume(group, trace, answers, failure, database)
            }
        } catch {
            answer(group, group.map { _ in .failure(outcomeUnknown(failure)) })
            startDraining()
        }
    }

    /// Another writing connection on the same file, which must be there.
    private func reopenedWriter() throws(StoreError) -> DatabaseQueue {
        try requireFile()
        let writer = try file.reopenWriter()
        try requireFile()
        return writer
    }

    private func resume(
        _ group: [AppendBatch], _ trace: AppendTrace, _ answers: [AppendBatch.Answer],
        _ failure: StoreError, _ database: Database
    ) {
        let isDurable: Bool
        do { isDurable = try trace.isDurable(database) } catch { return giveUp(group, failure) }
        if isDurable {
            committed(group, trace)
            answer(group, answers)
            return drain(database)
        }
        switch attempt(group, database) {
        case .finished(let secondAnswers):
            answer(group, secondAnswers)
            drain(database)
        case .unknown(_, _, let failure): giveUp(group, failure)
        }
    }

    /// Tells the callers that nobody knows, and leaves a fresh connection to the next.
    private func giveUp(_ group: [AppendBatch], _ failure: StoreError) {
        answer(group, group.map { _ in .failure(outcomeUnknown(failure)) })
        repairs.async { [self] in
            let old = state.withLock { $0.takeWriter() }
            try? old?.close()
            reopenAndDrain()
        }
    }

    private func outcomeUnknown(_ failure: StoreError) -> StoreError {
        StoreError(
            .commitOutcomeUnknown, path: path,
            reason: "Nobody knows whether the last events are durable: \(failure.reason)",
            remedy:
                "Check the disk and the space on it, then append the same events again: known ones are recognised."
        )
    }

    /// Runs on `repairs`. Without a connection, everything waiting fails for the same reason.
    func reopenAndDrain() {
        do throws(StoreError) {
            let writer = try reopenedWriter()
            state.withLock { $0.writer = writer }
            writer.asyncWriteWithoutTransaction { [self] database in drain(database) }
        } catch {
            while let group = nextGroup() {
                answer(group, group.map { _ in .failure(error) })
            }
        }
    }
}
