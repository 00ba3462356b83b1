public import AppStore
import AppStoreAPI
internal import AppleSync
internal import Intake
import Ledger
public import LedgerStore
internal import Projection
public import Queries
import Synchronization

/// Recoveries of one environment.
public struct RecoveryListing: Sendable, JSONObjectWritable {
    /// Started here by operators, newest first.
    public let started: [RecoveryJob]
    /// Begun and not ended, by whichever process: running, or interrupted and to be continued by
    /// the same request.
    public let open: [RecoveryRecord]
    /// The stored reports of commands, operators and the background check, newest first.
    public let reports: [StoredReportEntry]

    /// The object of `GET /v1/recoveries`.
    public func writeMembers(to json: inout JSONWriter) {
        json.array("started", started)
        json.objects("open", open) { $1.writeMembers(to: &$0) }
        json.objects("reports", reports) { json, entry in
            json.member("id", String(entry.id))
            json.member("bundleId", entry.bundleId)
            json.member("endedAt", entry.endedAt)
            json.member("flawed", entry.isFlawed)
        }
    }
}

/// One recovery by its id.
public enum RecoveryEntry: Sendable, JSONObjectWritable {
    case started(RecoveryJob)
    /// With its number.
    case stored(Int64, StoredReport)

    /// The object of `GET /v1/recoveries/{id}`.
    public func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .started(let job):
            job.writeMembers(to: &json)
            json.key("report")
            guard case .finished(let report) = job.state else { return json.null() }
            report.write(to: &json)
        case .stored(let number, let report):
            json.member("id", String(number))
            json.member("state", "finished")
            json.member("bundleId", report.bundleId)
            json.member("endedAt", report.endedAt)
            json.member("flawed", report.isFlawed)
            json.key("report")
            json.raw(report.json.utf8)
        }
    }
}

/// Recoveries over HTTP and in the console.
extension LedgerHost {
    /// Past and running recoveries.
    ///
    /// Throws `ServingError` or `StoreError`.
    public func recoveries(_ environment: Environment) async throws -> RecoveryListing {
        let operations = try ledger(environment).ledger.operations
        return RecoveryListing(
            started: recoveryJobs.all(in: environment),
            open: try await operations.openRecoveries(),
            reports: try await operations.recoveryReports())
    }

    /// A recovery started here by its id, or a stored report by its number.
    ///
    /// Throws `OperatorError` (`noSuchRecovery`), `ServingError` or `StoreError`.
    public func recovery(_ id: String, _ environment: Environment) async throws -> RecoveryEntry {
        let operations = try ledger(environment).ledger.operations
        if let job = recoveryJobs.job(id), job.environment == environment { return .started(job) }
        if let number = Int64(plain: id), let report = try await operations.recoveryReport(number) {
            return .stored(number, report)
        }
        throw OperatorError(.noSuchRecovery, "No such recovery is running or remembered here.")
    }

    /// Starts a recovery in the background, under the lease that `recover` uses; returns at once.
    ///
    /// Throws `OperatorError` (`recoveryRunning`, `missingKey`), `CommandError`, `ServingError`,
    /// `StoreError`, or `IntakeRefusal` for an empty window.
    public func startRecovery(
        _ window: RecoveryBody, _ order: CommandIntake.Order, _ environment: Environment
    ) async throws -> OperatorAct<RecoveryJob> {
        let served = try ledger(environment)
        try requireClock()
        guard LedgerHost.usualEnvironments.contains(environment), !reach.clients.isEmpty else {
            throw OperatorError(
                .missingKey, "No app has an API key here, or Apple has no such environment.")
        }
        let client = try client(
            window.bundleId,
            several: .invalidBody("Several apps have a key: name one as bundleId."))
        let now = clock()
        let to = window.to ?? now
        guard window.from < min(to, now) else {
            throw IntakeRefusal(
                .malformed, code: "invalidTime", message: "from must be before to, and before now.")
        }
        let request = [
            window.from.rfc3339, window.bundleId?.rawValue ?? "", window.to?.rfc3339 ?? "",
        ]
        return try await act("recover", request, order, in: served) {
            let job = RecoveryJob(
                id: makeId(), environment: environment, bundleId: client.bundleId,
                from: window.from, to: to, actor: order.actor, reason: order.reason,
                startedAt: now, state: .running)
            guard recoveryJobs.begin(job) else { throw LedgerHost.recoveryRunning }
            do {
                guard let lease = try await served.ledger.operations.lease(.recovery) else {
                    throw LedgerHost.recoveryRunning
                }
                let held = HeldLease(lease)
                background.start { [self] in
                    await runRecovery(
                        job, endsNow: window.to == nil, client, served, held)
                }
            } catch {
                recoveryJobs.remove(job.id)
                throw error
            }
            return job
        }
    }

    private static var recoveryRunning: OperatorError {
        OperatorError(
            .recoveryRunning,
            "A recovery is running in this ledger (by the service, an operator or a command);"
                + " wait for it to end.")
    }

    private func runRecovery(
        _ job: RecoveryJob, endsNow: Bool, _ client: AppStoreServerAPIClient,
        _ served: ServedLedger, _ held: HeldLease
    ) async {
        var request = RecoveryRequest(
            bundleId: job.bundleId, environment: job.environment, from: job.from, to: job.to)
        request.endsNow = endsNow
        let recovery = Recovery(
            request, ledger: served.ledger, client: client, apps: configuration.apps,
            verifier: verifier, revocation: revocation, clock: clock)
        let state: JobState<RecoveryReport>
        do throws(RecoveryFailure) {
            let report = try await RecoveryRun(recovery) {
                [recoveryJobs] () async throws(StoreError) in
                // Before the state: it may be one before an erasure that is noted meanwhile.
                recoveryJobs.update(job.id) { $0.isOvertaken = false }
                return try await served.laterSnapshot()
            }.run(holding: held.take()) { [recoveryJobs] progress in
                recoveryJobs.update(job.id) { $0.progress = progress }
            }
            state = .finished(report)
        } catch {
            if case .store(let error) = error { observer.noted(.jobFailed(job.environment, error)) }
            state = .failed(code: error.code, message: error.message)
        }
        recoveryJobs.end(job.id, state, at: clock())
    }
}

extension RecoveryRecord {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("startedAt", requestedAt)
        json.member("from", slices.map(\.from).min())
        json.member("to", slices.map(\.to).max())
        json.member("fetched", slices.reduce(0) { $0 + $1.fetchedCount })
        json.member("slices", slices.count)
        json.member("slicesDone", slices.count(where: \.isDone))
        json.member("flawed", isFlawed)
    }
}

/// A lease handed from a request to the background work that releases it.
private final class HeldLease: Sendable {
    private let lease: Mutex<(any Lease)?>

    init(_ lease: any Lease) { self.lease = Mutex(lease) }

    /// Hands the lease over; the receiver releases it.
    func take() -> (any Lease)? {
        lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
    }
}
