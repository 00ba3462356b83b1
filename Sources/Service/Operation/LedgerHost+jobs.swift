public import AppStore
internal import LedgerStore
public import Queries
internal import Reports
import Synchronization

/// Long reports in the background, one at a time and at low priority, so that no query waits for
/// them.
extension LedgerHost {
    /// Starts a report about an environment, named by its path and query; returns at once.
    ///
    /// Throws `OperatorError` (`tooManyJobs`).
    public func startJob(
        _ report: String, in environment: Environment,
        _ make: @escaping @Sendable (@escaping ReportProgress.Handler) async throws -> ServedAnswer
    ) throws(OperatorError) -> ReportJob {
        let job = ReportJob(id: makeId(), report: report, createdAt: clock())
        guard reportJobs.begin(job) else {
            throw OperatorError(
                .tooManyJobs, "\(ReportJobs.count) reports are being made; retry later.")
        }
        background.start { [self] in
            await jobTurns.pass {
                let age = try? ledger(environment).age
                reportJobs.start(job.id, at: clock(), age: age)
                let state: JobState<ServedAnswer>
                do {
                    state = .finished(
                        try await make { [reportJobs] in reportJobs.note($0, of: job.id) })
                } catch {
                    state = .failed(code: LedgerHost.code(of: error), message: message(of: error))
                }
                reportJobs.end(job.id, state, at: clock())
            }
        }
        return job
    }

    /// A report that has not ended, or is still kept (`ReportJobs.keptMilliseconds`).
    ///
    /// Throws `OperatorError` (`noSuchJob`).
    public func job(_ id: String) throws(OperatorError) -> ReportJob {
        guard let job = reportJobs.job(id, at: clock()) else {
            throw OperatorError(.noSuchJob, "No report has this id; they are kept up to an hour.")
        }
        return job
    }

    /// The message of a failed report, without a path. What an operator has to know is in the log.
    private func message(of error: any Error) -> String {
        switch error {
        case MetricsError.store(let error), QueryError.store(let error), let error as StoreError:
            observer.noted(.jobFailed(nil, error))
            return error.reason
        case let error as MetricsError: return error.message
        case let error as QueryError: return error.message
        case let error as ServingError: return error.message
        default:
            observer.noted(.jobFailed(error))
            return "The report failed; see the service's log."
        }
    }

    // MARK: JSON

    /// A job as JSON, at the position of its result; without a result it has none, and this is 0.
    public func answer(_ job: ReportJob) -> ServedAnswer {
        let bytes = job.encoded()
        return ServedAnswer(
            bytes: bytes, entityTag: ServedAnswer.entityTag(of: bytes),
            position: job.result?.position ?? 0, lag: job.result?.lag ?? 0)
    }
}

/// How far a report is.
public struct ReportProgress: Sendable, Equatable, JSONObjectWritable {
    /// Events read. A report that reads the log several times begins again each time.
    public let done: Int64
    /// Events to read, approximately.
    public let total: Int64

    public func writeMembers(to json: inout JSONWriter) {
        json.member("done", done)
        json.member("total", total)
    }

    /// Called for each page that a report has read.
    public typealias Handler = @Sendable (ReportProgress) -> Void
}

/// A long report made in the background.
public struct ReportJob: Sendable, JSONObjectWritable {
    public let id: String
    /// Path and query of the report.
    public let report: String
    public let createdAt: Timestamp
    public internal(set) var startedAt: Timestamp?
    public internal(set) var endedAt: Timestamp?
    /// `ServedLedger.age` when it was started: that of its result.
    public internal(set) var age: Duration?
    public internal(set) var state = JobState<ServedAnswer>.waiting
    /// Nil until it has read its first events.
    public internal(set) var progress: ReportProgress?

    /// The object of `GET /v1/jobs/{id}`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("report", report)
        json.member("state", state.name)
        json.member("createdAt", createdAt)
        json.member("startedAt", startedAt)
        json.member("endedAt", endedAt)
        json.member("progress", progress)
        state.writeFailure(to: &json)
        json.key("result")
        guard let result else { return json.null() }
        json.raw(result.bytes)
    }

    /// Nil until it has finished, and where it failed.
    public var result: ServedAnswer? {
        if case .finished(let answer) = state { answer } else { nil }
    }

    fileprivate var resultByteCount: Int { result?.bytes.count ?? 0 }
}

/// The reports that are made, one at a time, and their results.
final class ReportJobs: Sendable {
    private let jobs = Mutex<[ReportJob]>([])

    /// Jobs kept. A further one replaces the oldest that ended; while none has ended, it is
    /// refused.
    static let count = 20
    /// How long a result is kept, milliseconds.
    static let keptMilliseconds: Int64 = 3_600_000
    /// Bytes of all results kept; beyond it the oldest is forgotten.
    static let byteCount = 64 * 1024 * 1024

    func job(_ id: String, at now: Timestamp) -> ReportJob? {
        jobs.withLock { jobs in
            ReportJobs.expire(&jobs, at: now)
            return jobs.first { $0.id == id }
        }
    }

    /// False while there is no room.
    func begin(_ job: ReportJob) -> Bool {
        jobs.withLock { jobs in
            ReportJobs.expire(&jobs, at: job.createdAt)
            if jobs.count >= ReportJobs.count {
                guard let oldest = jobs.firstIndex(where: { $0.endedAt != nil }) else {
                    return false
                }
                jobs.remove(at: oldest)
            }
            jobs.append(job)
            return true
        }
    }

    func start(_ id: String, at now: Timestamp, age: Duration?) {
        update(id) { ($0.state, $0.startedAt, $0.age) = (.running, now, age) }
    }

    func note(_ progress: ReportProgress, of id: String) { update(id) { $0.progress = progress } }

    func end(_ id: String, _ state: JobState<ServedAnswer>, at now: Timestamp) {
        update(id) { ($0.state, $0.endedAt) = (state, now) }
        jobs.withLock { jobs in
            while jobs.reduce(0, { $0 + $1.resultByteCount }) > ReportJobs.byteCount,
                let oldest = jobs.firstIndex(where: { $0.resultByteCount > 0 && $0.id != id })
            {
                jobs.remove(at: oldest)
            }
        }
    }

    private func update(_ id: String, _ change: (inout ReportJob) -> Void) {
        jobs.withLock { jobs in
            guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
            change(&jobs[index])
        }
    }

    private static func expire(_ jobs: inout [ReportJob], at now: Timestamp) {
        jobs.removeAll { job in
            guard let end = job.endedAt else { return false }
            return now.milliseconds(since: end) >= keptMilliseconds
        }
    }
}
