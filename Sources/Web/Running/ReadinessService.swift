import ServiceLifecycle

/// Says that nothing more is accepted as soon as the service is asked to stop.
struct ReadinessService: Service {
    let readiness: Readiness

    func run() async throws {
        try await gracefulShutdown()
        readiness.stop()
    }
}
