public import ServiceLifecycle

/// Looks for outages for as long as the process serves; then ends what is under way.
public struct RecoveryService: Service {
    private let watch: RecoveryWatch

    /// What to run; the connections of its clients are closed by whoever made them.
    public init(_ watch: RecoveryWatch) { self.watch = watch }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await watch.run() }
    }
}
