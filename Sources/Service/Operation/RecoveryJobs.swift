public import AppStore
public import AppleSync
import Ledger
internal import LedgerStore
internal import Projection
import Synchronization

/// A recovery that an operator started here.
public struct RecoveryJob: Sendable, JSONObjectWritable {
    public let id: String
    public let environment: Environment
    public let bundleId: BundleId
    /// The window requested, by signedDate: `[from, to)`.
    public let from: Timestamp
    public let to: Timestamp
    public let actor: String
    public let reason: String
    public let startedAt: Timestamp
    public internal(set) var endedAt: Timestamp?
    public internal(set) var progress = Recovery.Progress()
    /// After a failure, the same request resumes where it stopped.
    public internal(set) var state: JobState<RecoveryReport>
    /// Whether a person was erased since the state that its report is of.
    var isOvertaken = false

    /// The object of `POST /v1/recoveries`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("state", state.name)
        json.member("bundleId", bundleId)
        json.member("from", from)
        json.member("to", to)
        json.member("actor", actor)
        json.member("reason", reason)
        json.member("startedAt", startedAt)
        json.member("endedAt", endedAt)
        json.object("progress") { json in
            json.member("pages", progress.pageCount)
            json.member("fetched", progress.fetchedCount)
            json.member("appended", progress.appendedCount)
            json.member("refused", progress.refusedCount)
            json.member("slices", progress.sliceCount)
            json.member("slicesDone", progress.doneSliceCount)
        }
        state.writeFailure(to: &json)
    }
}

/// The recoveries that operators started in this process: at most one running in each environment,
/// and the last ones that ended.
final class RecoveryJobs: Sendable {
    private let jobs = Mutex<[RecoveryJob]>([])

    /// Recoveries remembered; beyond it the oldest that ended is forgotten.
    static let count = 20

    /// Newest first.
    func all(in environment: Environment) -> [RecoveryJob] {
        jobs.withLock { $0.filter { $0.environment == environment }.reversed() }
    }

    func job(_ id: String) -> RecoveryJob? { jobs.withLock { $0.first { $0.id == id } } }

    /// False when one runs in its environment.
    func begin(_ job: RecoveryJob) -> Bool {
        jobs.withLock { jobs in
            let isRunning = jobs.contains { known in
                guard case .running = known.state else { return false }
                return known.environment == job.environment
            }
            guard !isRunning else { return false }
            jobs.append(job)
            while jobs.count > RecoveryJobs.count,
                let oldest = jobs.firstIndex(where: { $0.endedAt != nil })
            {
                jobs.remove(at: oldest)
            }
            return true
        }
    }

    /// Forgets one that could not begin.
    func remove(_ id: String) { jobs.withLock { $0.removeAll { $0.id == id } } }

    /// Forgets those that ended, after an erasure: their reports name chains and customers.
    func removeEnded(in environment: Environment) {
        jobs.withLock { jobs in
            jobs.removeAll { $0.environment == environment && $0.endedAt != nil }
            for index in jobs.indices where jobs[index].environment == environment {
                jobs[index].isOvertaken = true
            }
        }
    }

    /// Keeps the outcome of one, without its report where an erasure overtook that.
    func end(_ id: String, _ state: JobState<RecoveryReport>, at now: Timestamp) {
        update(id) { job in
            job.endedAt = now
            if case .finished = state, job.isOvertaken {
                job.state = .failed(
                    code: StoreError.Code.erasureOvertaken.rawValue,
                    message: "The recovery ended during an erasure; see the stored reports.")
            } else {
                job.state = state
            }
        }
    }

    func update(_ id: String, _ change: (inout RecoveryJob) -> Void) {
        jobs.withLock { jobs in
            guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
            change(&jobs[index])
        }
    }
}
