import AppStore
import AppleSync
import Projection
import SQLiteStore
import Service

/// Runs `body`, then `close`, whether `body` failed or not.
func closing<Value>(
    _ close: () async -> Void, after body: () async throws -> Value
) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await close()
    return try result.get()
}

extension Settings {
    /// Runs `body` with an environment's ledger (default: the command's).
    func withLedger<Value>(
        of environment: Environment? = nil, _ body: (EnvironmentLedger) async throws -> Value
    ) async throws -> Value {
        let ledger = try await openLedger(environment)
        return try await closing(ledger.close) { try await body(ledger) }
    }

    /// Runs `body` with the environment's ledger, caught up; a service projects meanwhile. With
    /// `toProject`, requests that the process that projects hands over, until `body` has ended.
    func withSession<Value>(
        of environment: Environment? = nil, toProject: Bool = false,
        _ body: (LedgerSession) async throws -> Value
    ) async throws -> Value {
        let ledger = try await openLedger(environment)
        let session =
            toProject
            ? try await openSession(ledger, toProject: true)
            : try await openReleasedSession(ledger)
        return try await closing(session.close) { try await body(session) }
    }

    /// Runs `body`, which appends to an environment's ledger, and catches derived data up.
    ///
    /// Returns the failure of catching up instead of throwing it: the caller first reports what was
    /// appended, which is durable regardless of derived data.
    func appending<Value>(
        to environment: Environment? = nil, _ body: (EnvironmentLedger) async throws -> Value
    ) async throws -> (value: Value, failure: (any Error)?) {
        let ledger = try await openLedger(environment)
        let value: Value
        do { value = try await body(ledger) } catch {
            await ledger.close()
            throw error
        }
        return (value, await catchUp(appended: ledger))
    }

    func openLedger(_ environment: Environment? = nil) async throws -> EnvironmentLedger {
        let ledger = try await EnvironmentLedger.open(
            configuration.ledger, environment: environment ?? self.environment)
        if ledger.hasLostOperations {
            Terminal.note("warning: \(Projector.Remark.operationsGone.text)")
        }
        return ledger
    }

    /// Catches up an open ledger, with progress on standard error; warns when derived data had to
    /// be rebuilt.
    func openSession(
        _ ledger: EnvironmentLedger, toProject: Bool = false
    ) async throws -> LedgerSession {
        let progress = ProgressLine()
        let session =
            toProject
            ? try await LedgerSession.openToProject(ledger) { progress.show($0.text) }
            : try await LedgerSession.open(ledger) { progress.show($0.text) }
        progress.end()
        for remark in session.remarks { Terminal.note("warning: \(remark)") }
        return session
    }

    /// Catches up an open ledger, and does not keep a service from projecting.
    func openReleasedSession(_ ledger: EnvironmentLedger) async throws -> LedgerSession {
        try await openSession(ledger).released()
    }

    /// Runs `body` with an open ledger whose derived data is caught up for each snapshot, with
    /// progress on standard error; warns when it had to be rebuilt, and closes the ledger.
    func withProjecting<Value>(
        _ ledger: EnvironmentLedger,
        _ body: (CommandProjecting, ProgressLine) async throws -> Value
    ) async throws -> Value {
        let progress = ProgressLine()
        let projecting = CommandProjecting(ledger) { progress.show($0.text) }
        let stop = {
            progress.end()
            for remark in await projecting.remarks { Terminal.note("warning: \(remark)") }
            await projecting.close()
        }
        return try await closing(stop) { try await body(projecting, progress) }
    }

    /// Catches up and closes a ledger after an append; returns the failure.
    func catchUp(appended ledger: EnvironmentLedger) async -> (any Error)? {
        do {
            try await openSession(ledger).close()
            return nil
        } catch {
            await ledger.close()
            return CommandFailure.afterAppending(error)
        }
    }
}
