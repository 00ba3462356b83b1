internal import Dispatch
internal import GRDB
internal import LedgerStore
internal import Synchronization

/// Appending by `GroupCommit`, drained on the writer's dispatch queue.
extension EventLog {
    public func startDraining() {
        guard let writer = state.withLock({ $0.writer }) else {
            repairs.async { [self] in reopenAndDrain() }
            return
        }
        writer.asyncWriteWithoutTransaction { [self] database in drain(database) }
    }

    /// Runs on the writer's queue until nothing is waiting.
    func drain(_ database: Database) {
        var lastBegan: ContinuousClock.Instant?
        while true {
            if let lastBegan { Blocking.pause(commits.pause(since: lastBegan)) }
            guard let group = commits.nextGroup() else { return }
            lastBegan = .now
            switch attempt(group, database) {
            case .finished(let answers): commits.answer(group, answers)
            case .unknown(let trace, let answers, let failure):
                repairs.async { [self] in recover(group, trace, answers, failure) }
                return
            }
            finishCheckpointIfDue(database)
        }
    }

    // MARK: One transaction

    func attempt(_ group: [AppendBatch], _ database: Database) -> AppendAttempt {
        let trace: AppendTrace
        var answers: [AppendBatch.Answer] = []
        do {
            try requireFile()
            if group.contains(where: \.isProbe) { try requireRoom(database) }
            try database.beginTransaction(.immediate)
            var transaction = try AppendTransaction(
                database, headers: knownHeaders.withLock { $0 }, path: path)
            for batch in group {
                if try transaction.isOvertaken(batch) {
                    answers.append(.failure(ErasureScope.overtaken))
                    continue
                }
                answers.append(.success(try batch.events.map { try transaction.place($0) }))
            }
            if group.contains(where: \.isProbe) { try transaction.rewriteMark() }
            trace = try transaction.finish()
        } catch {
            rollBack(database)
            let failure = StoreError(error, path: path)
            return .finished(group.map { _ in .failure(failure) })
        }
        do {
            try faults?.willCommit()
            try database.commit()
            try faults?.didCommit()
        } catch {
            rollBack(database)
            return .unknown(trace, answers, StoreError(error, path: path))
        }
        committed(group, trace)
        // Events written to a file that was replaced are lost with it: do not acknowledge them.
        do throws(StoreError) { try requireFile() } catch {
            return .finished(group.map { _ in .failure(error) })
        }
        return .finished(answers)
    }

    private func rollBack(_ database: Database) {
        // SQLite may have rolled back by itself (https://www.sqlite.org/lang_transaction.html).
        if database.isInsideTransaction { try? database.rollback() }
    }

    func committed(_ group: [AppendBatch], _ trace: AppendTrace) {
        knownHeaders.withLock { $0 = trace.headers }
        guard trace.lastLeafHash != nil else { return }
        // In a long log, the key of every event is on a separate page, which is written with it.
        noteWritten(
            bytes: group.reduce(0) {
                $0 + $1.byteCount + $1.events.count * EventLog.pageByteCount
            })
    }
}
