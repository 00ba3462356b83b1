internal import Dispatch
internal import GRDB
internal import LedgerStore
internal import Synchronization

/// Recovery after a failed COMMIT, whose outcome is unknown.
extension EventLog {
    /// Handles a COMMIT that failed. Closes the connection, whose view of the file cannot be
    /// trusted, opens another, and checks the file; missing events are appended once more.
    func recover(
        _ group: [AppendBatch], _ trace: AppendTrace, _ answers: [AppendBatch.Answer],
        _ failure: StoreError
    ) {
        closeWriter()
        do throws(StoreError) {
            try reopen { [self] in resume(group, trace, answers, failure, $0) }
        } catch {
            commits.answer(group, group.map { _ in .failure(outcomeUnknown(failure)) })
            startDraining()
        }
    }

    private func closeWriter() {
        let old = state.withLock { $0.takeWriter() }
        try? old?.close()
    }

    /// Opens a new writing connection on the same file, which must exist, and runs `body` on its
    /// queue.
    private func reopen(_ body: @escaping @Sendable (Database) -> Void) throws(StoreError) {
        try requireFile()
        let writer = try file.reopenWriter()
        try requireFile()
        state.withLock { $0.writer = writer }
        writer.asyncWriteWithoutTransaction(body)
    }

    private func resume(
        _ group: [AppendBatch], _ trace: AppendTrace, _ answers: [AppendBatch.Answer],
        _ failure: StoreError, _ database: Database
    ) {
        let isDurable: Bool
        do { isDurable = try trace.isDurable(database) } catch { return giveUp(group, failure) }
        if isDurable {
            committed(group, trace)
            commits.answer(group, answers)
            return drain(database)
        }
        switch attempt(group, database) {
        case .finished(let secondAnswers):
            commits.answer(group, secondAnswers)
            drain(database)
        case .unknown(_, _, let failure): giveUp(group, failure)
        }
    }

    /// Reports the unknown outcome to the callers; the next caller gets a new connection.
    private func giveUp(_ group: [AppendBatch], _ failure: StoreError) {
        commits.answer(group, group.map { _ in .failure(outcomeUnknown(failure)) })
        repairs.async { [self] in
            closeWriter()
            reopenAndDrain()
        }
    }

    private func outcomeUnknown(_ failure: StoreError) -> StoreError {
        StoreError(
            .commitOutcomeUnknown, path: path,
            reason: "It is unknown whether the last events are durable: \(failure.reason)",
            remedy:
                "Check the disk and its free space, then append the same events again: known ones are recognised."
        )
    }

    /// Runs on `repairs`. If no connection can be opened, all waiting batches fail with the same
    /// error.
    func reopenAndDrain() {
        do throws(StoreError) { try reopen { [self] in drain($0) } } catch {
            while let group = commits.nextGroup() {
                commits.answer(group, group.map { _ in .failure(error) })
            }
        }
    }
}
