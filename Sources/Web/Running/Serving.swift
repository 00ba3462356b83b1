import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Runs an application for the duration of a closure.
package enum Serving {
    /// Passes the port to `body`; shuts down gracefully afterwards.
    package static func whileRunning<Responder: HTTPResponder, Value: Sendable>(
        _ application: Application<Responder>,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let (ports, announced) = AsyncStream.makeStream(of: Int.self)
        let running = Application(
            responder: application.responder, server: application.server,
            configuration: application.configuration,
            onServerRunning: { channel in
                announced.yield(channel.localAddress?.port ?? 0)
                announced.finish()
            }, logger: application.logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [running], logger: application.logger))
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

extension WebService {
    /// Passes the port of the running service to `body`.
    package func whileServing<Value: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        try await Serving.whileRunning(application(), body)
    }
}
