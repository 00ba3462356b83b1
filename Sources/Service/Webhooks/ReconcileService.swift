public import ServiceLifecycle

/// Reconciles chains with Apple while the process serves; at shutdown, finishes the request in
/// progress.
public struct ReconcileService: Service {
    private let loop: ReconcileLoop

    /// The loop to run; the caller closes the connections of its clients.
    public init(_ loop: ReconcileLoop) { self.loop = loop }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await loop.run() }
    }
}
