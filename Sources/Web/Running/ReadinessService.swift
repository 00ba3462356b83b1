import ServiceLifecycle

/// Reports not ready as soon as shutdown begins.
struct ReadinessService: Service {
    let readiness: Readiness

    func run() async throws {
        try await gracefulShutdown()
        readiness.stop()
    }
}
