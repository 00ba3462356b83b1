internal import AppStore
internal import Projection
internal import Service
import ServiceLifecycle
import Synchronization

/// Whether events can be accepted now; load balancers poll it. Not ready as soon as shutdown
/// begins.
final class Readiness: Service {
    /// When the shutdown began.
    private let stopping = Mutex<ContinuousClock.Instant?>(nil)

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
    ///
    /// Throws `environmentNotServed`.
    ///
    /// - Parameter environment: the only one that counts; nil: all.
    func answerProblems(
        _ host: LedgerHost, of environment: AppStore.Environment? = nil
    ) throws(ServingError) -> [Problem] {
        let ledgers = try Readiness.ledgers(host, environment)
        if isStopping { return [Problem(environment: nil, code: "stopping")] }
        return ledgers.compactMap { ledger in
            ledger.catchingUp.map { progress in
                Problem(
                    environment: EnvironmentLedger.directoryName(ledger.environment),
                    code: "catchingUp", progress: progress)
            }
        }
    }

    func stop() { stopping.withLock { $0 = $0 ?? .now } }

    private var isStopping: Bool { hasStopped(for: .zero) }

    /// Whether the shutdown began at least so long ago.
    func hasStopped(for duration: Duration) -> Bool {
        stopping.withLock { $0.map { $0.duration(to: .now) >= duration } ?? false }
    }

    private static func ledgers(
        _ host: LedgerHost, _ environment: AppStore.Environment?
    ) throws(ServingError) -> [ServedLedger] {
        guard let environment else { return host.ledgers }
        return [try host.ledger(environment)]
    }

    /// Why no events can be accepted; empty when they can. Answers that are behind do not count:
    /// deliveries are still stored.
    ///
    /// Throws `environmentNotServed`.
    ///
    /// - Parameter environment: the only one that counts; nil: all.
    func problems(
        _ host: LedgerHost, of environment: AppStore.Environment? = nil
    ) async throws(ServingError) -> [Problem] {
        let ledgers = try Readiness.ledgers(host, environment)
        if isStopping { return [Problem(environment: nil, code: "stopping")] }
        var problems: [Problem] = []
        if let milliseconds = host.clockWatch.jumpMilliseconds {
            let error = ServingError.clockJumped(milliseconds: milliseconds)
            problems.append(Problem(environment: nil, code: error.code))
        }
        for ledger in ledgers {
            guard let code = await ledger.obstacleCode() else { continue }
            problems.append(
                Problem(
                    environment: EnvironmentLedger.directoryName(ledger.environment), code: code))
        }
        return problems
    }
}
