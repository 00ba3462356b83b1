import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A raw connection that sends one request and collects what arrives, for endless responses.
final class StreamReader: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private struct State {
        var text = ""
        var isClosed = false
        var channel: (any Channel)?
        var waiting: [(wanted: String, CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    /// Connects to loopback, sends a request, passes itself to `body` and closes the connection.
    static func open<Value>(
        port: Int, _ uri: String, headers: [String] = [],
        _ body: (StreamReader) async throws -> Value
    ) async throws -> Value {
        let head = ["GET \(uri) HTTP/1.1", "Host: localhost"] + headers
        let request = head.joined(separator: "\r\n") + "\r\n\r\n"
        return try await open(port: port, Array(request.utf8), body)
    }

    /// As above, for arbitrary bytes; over TLS where a context is given.
    static func open<Value>(
        port: Int, _ bytes: [UInt8], over tls: NIOSSLContext? = nil,
        _ body: (StreamReader) async throws -> Value
    ) async throws -> Value {
        let reader = StreamReader()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try pipeline.addHandler(reader)
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        reader.state.withLock { $0.channel = channel }
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        do {
            let value = try await body(reader)
            try? await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// Closes its sending side, and reads on.
    func endOutput() async throws {
        try await state.withLock { $0.channel }?.close(mode: .output)
    }

    /// Sends more.
    func send(_ text: String) async throws {
        try await state.withLock { $0.channel }?.writeAndFlush(ByteBuffer(string: text))
    }

    /// Returns once the other end has closed, or closed its sending side.
    func waitForEnd() async { _ = await wait(for: StreamReader.never) }

    private static let never = "\u{0}never\u{0}"

    /// Everything received so far.
    var text: String { state.withLock { $0.text } }

    /// Returns once the text has arrived; false when the connection ended without it.
    func wait(for wanted: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                if state.text.contains(wanted) { return true }
                if state.isClosed { return false }
                state.waiting.append((wanted, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        let found = state.withLock { state in
            state.text += String(buffer: buffer)
            let text = state.text
            let found = state.waiting.filter { text.contains($0.wanted) }
            state.waiting.removeAll { text.contains($0.wanted) }
            return found
        }
        for waiter in found { waiter.1.resume(returning: true) }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    private func end() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in left { waiter.1.resume(returning: false) }
    }
}
