public import AppStore
public import Projection
public import Proofs
import Synchronization

/// A verification of a log by this process.
public struct AuditRun: Sendable, JSONWritable {
    public let startedAt: Timestamp
    public let actor: String
    /// Whether every signature is verified again, too.
    public let withSignatures: Bool
    public internal(set) var endedAt: Timestamp?
    /// Positions done, of all, in the current step.
    public internal(set) var done: Int64 = 0
    public internal(set) var all: Int64 = 0
    public internal(set) var state = State.running

    public enum State: Sendable {
        case running
        /// With findings or without: `Audit.Report.isSound`.
        /// Nil where no checkpoint was kept.
        case finished(Audit.Report, CheckpointAudit.Report?)
        /// The log could not be read, or the service stopped.
        case failed(code: String, message: String)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("startedAt", startedAt)
            json.member("actor", actor)
            json.member("signatures", withSignatures)
            json.member("endedAt", endedAt)
            json.member("done", done)
            json.member("all", all)
            var found: (report: Audit.Report, checkpoints: CheckpointAudit.Report?)?
            var failure: (code: String, message: String)?
            switch state {
            case .running: break
            case .finished(let report, let checkpoints): found = (report, checkpoints)
            case .failed(let code, let message): failure = (code, message)
            }
            json.member("code", failure?.code)
            json.member("message", failure?.message)
            json.object("result", found) { json, found in
                found.report.writeMembers(to: &json)
                found.checkpoints.writeMember(to: &json)
            }
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

    func end(_ state: AuditRun.State, at now: Timestamp, in environment: Environment) {
        runs.withLock { runs in
            guard var run = runs[environment]?.running else { return }
            run.state = state
            run.endedAt = now
            runs[environment] = Runs(running: nil, last: run)
        }
    }
}
