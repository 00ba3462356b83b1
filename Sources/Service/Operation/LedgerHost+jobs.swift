import AppStore
internal import LedgerStore
public import Queries
internal import Reports

/// Long reports in the background, one at a time and at low priority, so that no question waits for
/// them.
extension LedgerHost {
    /// Starts a report; returns at once.
    ///
    /// - Parameters:
    ///   - report: path and query, to name it.
    ///   - make: makes it.
    ///
    /// Throws `OperatorError` (`tooManyJobs`).
    public func startJob(
        _ report: String, _ make: @escaping @Sendable () async throws -> ServedAnswer
    ) throws(OperatorError) -> ReportJob {
        let job = ReportJob(id: makeId(), report: report, createdAt: clock())
        guard reportJobs.begin(job) else {
            throw OperatorError(
                .tooManyJobs, "\(ReportJobs.count) reports are being made; retry later.")
        }
        background.start { [self] in
            await jobTurns.pass {
                reportJobs.start(job.id, at: clock())
                let state: ReportJob.State
                do { state = .finished(try await make()) } catch {
                    state = .failed(
                        code: LedgerHost.code(of: error), message: LedgerHost.message(of: error))
                }
                reportJobs.end(job.id, state, at: clock())
            }
        }
        return job
    }

    /// A report that was started in the last hour or is not finished.
    ///
    /// Throws `OperatorError` (`noSuchJob`).
    public func job(_ id: String) throws(OperatorError) -> ReportJob {
        guard let job = reportJobs.job(id, at: clock()) else {
            throw OperatorError(.noSuchJob, "There is no such report, or no longer.")
        }
        return job
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as MetricsError: error.message
        case let error as ServingError: error.message
        case let error as StoreError: error.reason
        default: "The report failed; see the service's log."
        }
    }

    // MARK: JSON

    /// A job as JSON.
    public func answer(_ job: ReportJob) -> ServedAnswer {
        var json = JSONWriter()
        job.write(to: &json)
        return ServedAnswer(
            bytes: json.bytes, entityTag: ServedAnswer.entityTag(of: json.bytes), position: 0,
            lag: 0)
    }
}
