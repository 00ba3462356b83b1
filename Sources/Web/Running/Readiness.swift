internal import Projection
internal import Service
import ServiceLifecycle
import Synchronization

/// Whether events can be accepted now; load balancers poll it. Not ready as soon as shutdown
/// begins.
final class Readiness: Service {
    private let stopping = Mutex(false)

    struct Problem: Sendable {
        let environment: String?
        /// Stable: `stopping`, `clockJumped`, `catchingUp`, or a code of the store.
        let code: String
        /// How far a node that is catching up has come, and the end of the log.
        var progress: (position: Int64, head: Int64)?
    }

    /// Stops accepting events at the beginning of the shutdown.
    func run() async throws {
        try await gracefulShutdown()
        stop()
    }

    /// Why queries should not be sent here; empty once every environment has reached the end that
    /// its log had at the start of the service. A log that cannot be read does not count: answers
    /// then say how old they are.
    func answerProblems(_ host: LedgerHost) -> [Problem] {
        if stopping.withLock({ $0 }) { return [Problem(environment: nil, code: "stopping")] }
        return host.ledgers.compactMap { ledger in
            ledger.catchingUp.map { progress in
                Problem(
                    environment: EnvironmentLedger.directoryName(ledger.environment),
                    code: "catchingUp", progress: progress)
            }
        }
    }

    func stop() { stopping.withLock { $0 = true } }

    /// Why no events can be accepted; empty when they can. Answers that are behind do not count:
    /// deliveries are still stored.
    func problems(_ host: LedgerHost) async -> [Problem] {
        if stopping.withLock({ $0 }) { return [Problem(environment: nil, code: "stopping")] }
        var problems: [Problem] = []
        if let milliseconds = host.clockWatch.jumpMilliseconds {
            let error = ServingError.clockJumped(milliseconds: milliseconds)
            problems.append(Problem(environment: nil, code: error.code))
        }
        for ledger in host.ledgers {
            guard let code = await ledger.obstacleCode() else { continue }
            problems.append(
                Problem(
                    environment: EnvironmentLedger.directoryName(ledger.environment), code: code))
        }
        return problems
    }
}
