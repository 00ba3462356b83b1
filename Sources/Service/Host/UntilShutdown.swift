public import AppStore
public import AppStoreAPI
public import Queries
public import ServiceLifecycle

/// Work in the background while the process serves; at shutdown its task is cancelled, and the step
/// in progress is finished.
public struct UntilShutdown: Service {
    private let work: @Sendable () async -> Void

    /// Work that returns when its task is cancelled.
    public init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

    public func run() async throws { await cancelWhenGracefulShutdown { await work() } }
}

extension LedgerHost {
    /// The loops beside the server, as configured: recovery and reconciliation where an app has a
    /// client, and checkpoints of the served logs that have a key.
    ///
    /// - `clients`: of the apps that have a key. The loops share them, and so one rate limit.
    /// - `transport`: reaches the witnesses of checkpoints.
    ///
    /// Throws `ConfigurationError` for a checkpoint key that cannot be used.
    public func loops(
        _ clients: [BundleId: AppStoreServerAPIClient], _ transport: any APITransport,
        clock: any ServiceClock
    ) throws -> [UntilShutdown] {
        let report: @Sendable (ServingNote) -> Void = { [observer] in observer.noted($0) }
        var loops: [UntilShutdown] = []
        if configuration.server.recovers, !clients.isEmpty {
            let watch = RecoveryWatch(
                host: self, clients: clients.sorted { $0.key < $1.key }.map(\.value),
                clock: clock, report: report)
            loops.append(UntilShutdown { await watch.run() })
        }
        if configuration.server.reconcile, !clients.isEmpty {
            let loop = ReconcileLoop(self, clients: clients, clock: clock, report: report)
            loops.append(UntilShutdown { await loop.run() })
        }
        let served = Set(ledgers.map(\.environment))
        for audit in configuration.audits where served.contains(audit.environment) {
            let loop = try CheckpointLoop(
                audit, host: self, transport: transport, clock: clock, report: report)
            loops.append(UntilShutdown { await loop.run() })
        }
        return loops
    }
}
