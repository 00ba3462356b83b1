internal import LedgerStore
internal import Synchronization

/// One group on the appending thread: retries its transaction after conflicts, and determines the
/// outcome of a COMMIT that was not answered.
struct GroupAppend {
    let log: PostgresLog
    let group: [AppendBatch]
    let slot: ConnectionSlot

    func answers() -> [AppendBatch.Answer] {
        do {
            let outcome = try outcome()
            log.committed(outcome, tookRoom: takesRoom)
            return outcome.answers.map { .success($0) }
        } catch {
            return group.map { _ in .failure(error) }
        }
    }

    private var isProbe: Bool { group.contains(where: \.isProbe) }
    private var takesRoom: Bool { group.contains(where: \.takesRoom) }

    private func outcome() throws(StoreError) -> AppendTransaction.Outcome {
        var conflicts = 0
        var isReconnected = false
        while true {
            do throws(AppendTransaction.Failure) {
                return try attempt(resolving: nil)
            } catch {
                switch error {
                case .unknown(let outcome, let failure):
                    slot.drop()
                    return try resolved(outcome, failure)
                case .failed(let error as PostgresError) where error.state?.isConflict == true:
                    conflicts += 1
                    guard conflicts < PostgresLimits.conflictAttemptCount else {
                        throw StoreError(error, location: log.location)
                    }
                    Blocking.pause(PostgresLimits.pause(conflicts))
                case .failed(let error as PostgresError)
                where error.kind == .lost && !isReconnected:
                    // Nothing was written. The server closed a connection that was idle.
                    isReconnected = true
                    slot.drop()
                case .failed(let error):
                    throw failed(error)
                }
            }
        }
    }

    private func attempt(
        resolving earlier: AppendTransaction.Outcome?
    ) throws(AppendTransaction.Failure) -> AppendTransaction.Outcome {
        let connection: PostgresConnection
        do { connection = try slot.connection() } catch { throw .failed(error) }
        let transaction = AppendTransaction(
            connection: connection, location: log.location, faults: log.faults)
        return try transaction.run(
            group, headers: log.knownHeaders.withLock { $0 },
            seen: log.seen.withLock { $0.last }, resolving: earlier,
            isProbe: isProbe, needsRoom: takesRoom && !log.hasRoom.withLock { $0 })
    }

    /// After COMMIT was sent and not answered: asks for the events on a new connection, whose lock
    /// waits until the old session has ended, and appends them if they are missing.
    private func resolved(
        _ outcome: AppendTransaction.Outcome, _ failure: PostgresError
    ) throws(StoreError) -> AppendTransaction.Outcome {
        var (outcome, failure) = (outcome, failure)
        let end = ContinuousClock.now + PostgresLimits.outcomeTimeout
        var number = 0
        while ContinuousClock.now < end {
            number += 1
            if number > 1 { Blocking.pause(PostgresLimits.pause(number)) }
            do throws(AppendTransaction.Failure) {
                return try attempt(resolving: outcome)
            } catch {
                switch error {
                case .unknown(let second, let error):
                    // The earlier transaction is over: its lock was free.
                    (outcome, failure) = (second, error)
                    slot.drop()
                case .failed(let error as PostgresError) where error.isPassing:
                    failure = error
                    if error.kind != .unreachable, !error.isLocked { slot.drop() }
                    if error.kind == .timedOut || error.isLocked { endSilentHolder() }
                case .failed(let error):
                    throw failed(error)
                }
            }
        }
        throw StoreError(
            .commitOutcomeUnknown, path: log.location,
            reason: "It is unknown whether the last events are durable.",
            remedy: """
                libpq reports: \(failure.message) Check the database, then append the same events again: known ones are recognised.
                """)
    }

    /// Ends the session of a node that locked the head row and went silent. Its transaction is
    /// rolled back, unless COMMIT was received; the node determines which.
    private func endSilentHolder() {
        // As long as this node waited for the lock.
        let waited = Int64(log.answerTimeout / .milliseconds(1)) * 4 / 5
        _ = try? slot.connection().run(Statement.log.endSilent.with(waited))
    }

    private func failed(_ error: any Error) -> StoreError {
        guard let wentBack = error as? LogWentBack else {
            if let error = error as? PostgresError {
                if error.state == .diskFull { log.hasRoom.withLock { $0 = false } }
                // A session keeps the setting that made it read-only; a new one may not have it.
                if error.isConnectionLost || error.state == .readOnlyTransaction { slot.drop() }
                if error.kind == .timedOut || error.isLocked {
                    endSilentHolder()
                    if let waiting = log.waitForStandby(slot) { return waiting }
                }
            }
            return StoreError(error, location: log.location)
        }
        return log.loss(wentBack, try? slot.connection())
    }
}

extension PostgresError {
    /// Whether the same statements may succeed later on another connection.
    var isPassing: Bool {
        switch kind {
        case .unreachable, .lost, .timedOut: true
        case .refused(let state):
            state.isConflict || [.readOnlyTransaction, .lockNotAvailable].contains(state)
                || ["57", "53", "08"].contains(state.category)
        case .loginRefused, .unexpectedValue: false
        }
    }
}
