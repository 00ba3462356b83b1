internal import Projection
internal import Service
import ServiceLifecycle
import Synchronization

/// Whether events can be accepted now; load balancers poll it. Not ready as soon as shutdown
/// begins.
final class Readiness: Service {
    private let stopping = Mutex(false)

    struct Problem: Sendable, Equatable {
        let environment: String?
        /// Stable: `stopping`, `clockJumped`, or a code of the store.
        let code: String
    }

    /// Stops accepting events at the beginning of the shutdown.
    func run() async throws {
        try await gracefulShutdown()
        stop()
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
