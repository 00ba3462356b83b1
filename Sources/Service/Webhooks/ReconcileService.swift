public import ServiceLifecycle

/// Looks chains up for as long as the process serves; then ends the question under way.
public struct ReconcileService: Service {
    private let loop: ReconcileLoop

    /// What to run; the connections of its clients are closed by whoever made them.
    public init(_ loop: ReconcileLoop) { self.loop = loop }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await loop.run() }
    }
}
