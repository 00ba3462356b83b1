public import ServiceLifecycle

/// Work in the background while the process serves; at shutdown its task is cancelled, and the step
/// in progress is finished.
public struct UntilShutdown: Service {
    private let work: @Sendable () async -> Void

    /// Work that returns when its task is cancelled.
    public init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

    public func run() async throws { await cancelWhenGracefulShutdown { await work() } }
}
