public import AppStore
internal import Intake
import Ledger
public import LedgerStore
public import Projection
public import Proofs
public import Queries
internal import SQLiteStore
import Synchronization

/// The tree of a log, and its verification by this process.
public struct AuditStanding: Sendable, JSONObjectWritable {
    /// The end of the log: number of events and root (RFC 6962). Nil where it cannot be read: the
    /// log is damaged or went back, or its database does not answer.
    public let head: LogHead?
    public let running: AuditRun?
    /// Nil: none has ended since the start.
    public let last: AuditRun?

    /// The object of `GET /v1/audit`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("size", head?.position)
        json.member("root", head?.root)
        json.member("running", running)
        json.member("last", last)
    }
}

/// Audits over HTTP and in the console.
extension LedgerHost {
    /// The log's tree head and the last verification.
    ///
    /// Throws `ServingError`.
    public func audit(_ environment: Environment) async throws -> AuditStanding {
        let log = try ledger(environment).ledger.log
        let head = try? await log.head()
        let (running, last) = auditRuns.of(environment)
        return AuditStanding(head: head, running: running, last: last)
    }

    /// Starts a verification of the log in the background, one at a time; returns at once.
    ///
    /// - `withSignatures`: whether every signature is verified again, too.
    ///
    /// Throws `OperatorError` (`auditRunning`), `CommandError` or `ServingError`.
    public func startAudit(
        withSignatures: Bool = false, _ order: CommandIntake.Order, _ environment: Environment
    ) async throws -> OperatorAct<AuditRun> {
        let served = try ledger(environment)
        return try await act("audit verify", [String(withSignatures)], order, in: served) {
            let run = AuditRun(
                startedAt: clock(), actor: order.actor, withSignatures: withSignatures)
            guard auditRuns.begin(run, in: environment) else {
                throw OperatorError(
                    .auditRunning, "An audit is running here; wait for it to end.")
            }
            background.start { [self] in await verify(served, withSignatures: withSignatures) }
            return run
        }
    }

    private func verify(_ served: ServedLedger, withSignatures: Bool) async {
        let state: JobState<AuditRun.Found>
        do throws(StoreError) {
            // The connections of a node refuse a log that went back.
            let opened = try await configuration.ledger.database?.engine?
                .openBoth(served.environment, creating: false)
            let found = await Outcome { () throws(StoreError) -> AuditRun.Found in
                try await verify(opened?.log ?? served.ledger.log, of: served, withSignatures)
            }
            await opened?.close()
            state = .finished(try found.get())
        } catch {
            // An audit that ends with the service did not fail.
            if !Task.isCancelled { observer.noted(.jobFailed(served.environment, error)) }
            state = .failed(code: error.code.rawValue, message: error.reason)
        }
        auditRuns.end(state, at: clock(), in: served.environment)
    }

    /// Verifies the log, and compares it with every checkpoint that was kept.
    private func verify(
        _ log: any LedgerLog, of served: ServedLedger, _ withSignatures: Bool
    ) async throws(StoreError) -> AuditRun.Found {
        let environment = served.environment
        let audit = Audit(
            log: log, directory: served.ledger.directory, environment: environment)
        let report = try await audit.verify(
            verifier: withSignatures ? verifier : nil,
            apps: configuration.apps + configuration.ledger.otherApps
        ) { [auditRuns] progress in
            auditRuns.progress(progress.position, progress.head, in: environment)
        }
        // A key that became unreadable after the start leaves out how many it signed.
        let checkpoints = try await CheckpointAudit(
            log, operations: served.ledger.operations,
            key: try? configuration.auditKey(environment),
            witnesses: configuration.witnessKeys(environment)
        ).run()
        return AuditRun.Found(report: report, checkpoints: checkpoints)
    }
}

/// A verification of a log by this process.
public struct AuditRun: Sendable, JSONObjectWritable {
    public let startedAt: Timestamp
    public let actor: String
    /// Whether every signature is verified again, too.
    public let withSignatures: Bool
    public internal(set) var endedAt: Timestamp?
    /// Positions done, of all, in the current step.
    public internal(set) var done: Int64 = 0
    public internal(set) var all: Int64 = 0
    public internal(set) var state = JobState<Found>.running

    /// With findings or without: `Audit.Report.isSound`.
    public struct Found: Sendable {
        public let report: Audit.Report
        /// Nil where no checkpoint was kept.
        public let checkpoints: CheckpointAudit.Report?
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("startedAt", startedAt)
        json.member("actor", actor)
        json.member("signatures", withSignatures)
        json.member("endedAt", endedAt)
        json.member("done", done)
        json.member("all", all)
        var found: Found?
        if case .finished(let value) = state { found = value }
        state.writeFailure(to: &json)
        json.object("result", found) { json, found in
            found.report.writeMembers(to: &json)
            found.checkpoints.writeMember(to: &json)
        }
    }
}

/// The running and the last verification of each environment's log.
final class AuditRuns: Sendable {
    private struct Runs {
        var running: AuditRun?
        var last: AuditRun?
    }

    private let runs = Mutex<[Environment: Runs]>([:])

    func of(_ environment: Environment) -> (running: AuditRun?, last: AuditRun?) {
        runs.withLock { ($0[environment]?.running, $0[environment]?.last) }
    }

    /// False when one runs in any environment: it reads as fast as it can.
    func begin(_ run: AuditRun, in environment: Environment) -> Bool {
        runs.withLock { runs in
            guard runs.values.allSatisfy({ $0.running == nil }) else { return false }
            runs[environment, default: Runs()].running = run
            return true
        }
    }

    func progress(_ done: Int64, _ all: Int64, in environment: Environment) {
        runs.withLock { runs in
            runs[environment]?.running?.done = done
            runs[environment]?.running?.all = all
        }
    }

    func end(_ state: JobState<AuditRun.Found>, at now: Timestamp, in environment: Environment) {
        runs.withLock { runs in
            guard var run = runs[environment]?.running else { return }
            run.state = state
            run.endedAt = now
            runs[environment] = Runs(running: nil, last: run)
        }
    }
}
