internal import Logging
package import ServiceLifecycle

/// Runs a server for the duration of a closure.
package enum Serving {
    /// Passes the port to `body`; shuts down gracefully afterwards.
    ///
    /// - Parameter server: makes it; it calls its argument with the port once it listens.
    package static func whileRunning<Value: Sendable>(
        _ server: (_ onRunning: @escaping @Sendable (Int) async -> Void) -> any Service,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, announced) = AsyncStream.makeStream(of: Int.self)
        let running = server { port in
            announced.yield(port)
            announced.finish()
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [running],
                logger: Logger(label: "serving") { _ in SwiftLogNoOpLogHandler() }))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                // Ends the stream if the server never starts.
                defer { announced.finish() }
                try await group.run()
            }
            var port: Int?
            for await announced in ports { port = announced }
            guard let port else {
                try await tasks.waitForAll()
                throw CancellationError()
            }
            let result: Result<Value, any Error>
            do { result = .success(try await body(port)) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }
}
