import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle

/// Serves the simulated API on a port: plain HTTP on loopback, as a target of `api.baseUrl`.
public struct SimulatedServer: Service {
    private let api: SimulatedAPI
    private let port: Int
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// Longest accepted body: an image; other requests have some hundred bytes.
    static let bodyByteCount = 4 * 1_024 * 1_024

    /// Port 0 takes a free one; `onRunning` receives the port once connections are accepted.
    public init(
        _ api: SimulatedAPI, port: Int, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.api = api
        self.port = port
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Serves until it is stopped.
    public func run() async throws {
        // Not an `Application`, which sends its own `Date`.
        let server = try HTTPServerBuilder.http1().buildServer(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            eventLoopGroup: EventLoopGroupProvider.singleton.eventLoopGroup, logger: logger
        ) { [api] (request, writer: consuming ResponseWriter, channel) in
            let response = try await SimulatedServer.respond(request, channel, api)
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { [onRunning] channel in
            await onRunning(channel.localAddress?.port ?? 0)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [api] in await api.performTests() }
            try await server.run()
            tasks.cancelAll()
        }
    }

    /// Passes the port to `body`; stops afterwards.
    public static func whileServing<Value: Sendable>(
        _ api: SimulatedAPI, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() }
        return try await Serving.whileRunning(
            { SimulatedServer(api, port: 0, logger: logger, onRunning: $0) }, body)
    }

    // MARK: One request

    private static func respond(
        _ request: Request, _ channel: any Channel, _ api: SimulatedAPI
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: bodyByteCount)
        let reply = api.answer(
            ServedRequest(
                method: request.method.rawValue, path: request.uri.path,
                query: request.uri.queryParameters.map {
                    (name: String($0.key), value: String($0.value))
                },
                authorization: request.headers[.authorization],
                body: Array(body.readableBytesView)))
        if reply.delayMilliseconds > 0 {
            // Delayed responses do not delay the shutdown.
            try await cancelWhenGracefulShutdown {
                try await Task.sleep(for: .milliseconds(reply.delayMilliseconds))
            }
        }
        if reply.manner == .dropped { try? await channel.close() }
        return response(reply)
    }

    private static func response(_ reply: ServedResponse) -> Response {
        var headers = HTTPFields()
        for header in reply.headers {
            if let name = HTTPField.Name(header.name) { headers[name] = header.value }
        }
        let status = HTTPResponse.Status(code: reply.status)
        guard reply.manner == .half else {
            return Response(
                status: status, headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
        }
        let bytes = reply.body
        return Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: bytes.count) { writer in
                try await writer.write(ByteBuffer(bytes: bytes.prefix(bytes.count / 2)))
                // The connection closes after half the body.
                throw CancellationError()
            })
    }
}
