public import AppStoreAPI
public import LedgerService
public import ServiceLifecycle

/// Looks for outages for as long as the process serves; then ends what is under way and closes the
/// connections to Apple.
public struct RecoveryService: Service {
    let watch: RecoveryWatch
    let transport: HTTPTransport

    /// - Parameter transport: what the watch's clients ask through.
    public init(_ watch: RecoveryWatch, transport: HTTPTransport) {
        self.watch = watch
        self.transport = transport
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await watch.run() }
        await transport.close()
    }
}
