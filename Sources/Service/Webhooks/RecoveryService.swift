public import ServiceLifecycle

/// Recovers from outages while the process serves; at shutdown, finishes the recovery step in
/// progress.
public struct RecoveryService: Service {
    private let watch: RecoveryWatch

    /// The watch to run; the caller closes the connections of its clients.
    public init(_ watch: RecoveryWatch) { self.watch = watch }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await watch.run() }
    }
}
