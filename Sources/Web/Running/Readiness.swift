internal import Projection
internal import Service
import Synchronization

/// Whether events can be accepted now: a load balancer asks before it sends more.
final class Readiness: Sendable {
    private let stopping = Mutex(false)

    struct Problem: Sendable, Equatable {
        let environment: String?
        /// Stable: `stopping`, `clockJumped`, or a code of the store.
        let code: String
    }

    /// Nothing more is accepted from now on.
    func stop() { stopping.withLock { $0 = true } }

    /// Why nothing can be accepted; empty when it can. That answers are behind is no reason: what
    /// is sent is kept.
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
