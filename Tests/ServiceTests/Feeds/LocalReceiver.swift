import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A real HTTP server on loopback with scripted responses.
final class LocalReceiver: Sendable {
    enum Answer: Sendable {
        case status(Int, headers: [(String, String)] = [], bodyByteCount: Int = 0)
        /// Never responds.
        case silence
        /// Closes the connection instead.
        case hangUp
        /// A 200 whose body comes byte by byte and never ends.
        case drip
    }

    struct Request: Sendable {
        let path: String
        let headers: [String: String]
        let body: [UInt8]
    }

    private let state: Mutex<(answer: Answer, requests: [Request])>
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    init(_ answer: Answer) { state = Mutex((answer, [])) }

    /// Starts one, passes its base address, and stops it.
    static func open<Value>(
        answering answer: Answer = .status(200),
        _ body: (LocalReceiver, String) async throws -> Value
    ) async throws -> Value {
        let receiver = LocalReceiver(answer)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ReceiverHandler(receiver))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        do {
            let value = try await body(receiver, "http://127.0.0.1:\(port)")
            try await server.close()
            return value
        } catch {
            try? await server.close()
            throw error
        }
    }

    var requests: [Request] { state.withLock { $0.requests } }

    func take(_ request: Request) -> Answer {
        state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
    }
}

/// Collects requests one at a time and responds.
final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let receiver: LocalReceiver
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ receiver: LocalReceiver) { self.receiver = receiver }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let buffer): body += Array(buffer.readableBytesView)
        case .end:
            guard let head else { return }
            let headers = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }
            ) { first, _ in first }
            let request = LocalReceiver.Request(path: head.uri, headers: headers, body: body)
            answer(receiver.take(request), context)
        }
    }

    private func answer(_ answer: LocalReceiver.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .silence: return
        case .hangUp: context.close(promise: nil)
        case .drip:
            let head = HTTPResponseHead(version: .http1_1, status: .ok)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            let byte = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "x")))
            let channel = context.channel
            channel.eventLoop.scheduleRepeatedTask(
                initialDelay: .zero, delay: .milliseconds(20)
            ) { task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(byte, promise: nil)
            }
        case .status(let status, let headers, let count):
            var fields = HTTPHeaders(headers)
            fields.add(name: "content-length", value: String(count))
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: status),
                headers: fields)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if count > 0 {
                let bytes = ByteBuffer(repeating: UInt8(ascii: "x"), count: count)
                context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
