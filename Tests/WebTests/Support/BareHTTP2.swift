import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/2 connection over TLS whose client writes its frames itself (RFC 9113 §4), to send what
/// no proper client would; reads nothing it has no window for.
final class BareHTTP2: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    enum Frame: UInt8 {
        case data = 0
        case headers = 1
        case priority = 2
        case resetStream = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
        /// An undefined type, which receivers must ignore (RFC 9113 §5.5).
        case unknown = 0xfa
    }

    fileprivate struct State {
        var bytes = ByteBuffer()
        /// Type and stream of each received frame.
        var frames: [(type: UInt8, stream: UInt32)] = []
        /// The error code of each stream that was reset (RFC 9113 §7).
        var resets: [UInt32: UInt32] = [:]
        /// Of all bodies.
        var text = ""
        var isClosed = false
        var waiting: [(CheckedContinuation<Void, Never>, @Sendable (BareHTTP2.Seen) -> Bool)] = []
    }

    /// Everything received so far.
    struct Seen {
        let frames: [(type: UInt8, stream: UInt32)]
        let resets: [UInt32: UInt32]
        let isClosed: Bool

        func count(_ frame: Frame) -> Int {
            frames.count { $0.type == frame.rawValue }
        }
    }

    private let state = Mutex(State())

    /// Connects to loopback, and sends the preface and settings with the given window for every
    /// stream.
    static func open<Value>(
        port: Int, window: UInt32, _ body: (BareHTTP2) async throws -> Value
    ) async throws -> Value where Value: Sendable {
        let reader = BareHTTP2()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"), reader,
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        reader.channel.withLock { $0 = channel }
        var hello = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        // SETTINGS_INITIAL_WINDOW_SIZE.
        hello += frame(.settings, payload: [0, 4] + bytes(of: window))
        try await reader.send(hello)
        let result: Result<Value, any Error>
        do { result = .success(try await body(reader)) } catch { result = .failure(error) }
        try? await channel.close()
        return try result.get()
    }

    private let channel = Mutex<(any Channel)?>(nil)

    func send(_ bytes: [UInt8]) async throws {
        try await channel.withLock { $0 }?.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func frame(
        _ type: Frame, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []
    ) -> [UInt8] {
        bytes(of: UInt32(payload.count)).dropFirst() + [type.rawValue, flags] + bytes(of: stream)
            + payload
    }

    /// The fields of a GET (RFC 7541): three from the static table, and a literal path.
    static func fields(_ path: String, authority: String = "localhost") -> [UInt8] {
        [0x82, 0x87, 0x01, UInt8(authority.utf8.count)] + Array(authority.utf8)
            + [0x04, UInt8(path.utf8.count)] + Array(path.utf8)
    }

    /// A GET on a stream: its whole head in one frame, and no body.
    static func ask(
        _ path: String, stream: UInt32, authority: String = "localhost"
    ) -> [UInt8] {
        frame(
            .headers, flags: 0x05, stream: stream, payload: fields(path, authority: authority))
    }

    /// A HEAD on a stream (RFC 7541 §6.2.2: the method's name from the static table).
    static func askHead(_ path: String, stream: UInt32) -> [UInt8] {
        let method: [UInt8] = [0x02, 4] + Array("HEAD".utf8)
        return frame(
            .headers, flags: 0x05, stream: stream, payload: method + fields(path).dropFirst())
    }

    /// The head of a POST on a stream, whose body follows.
    static func begin(_ path: String, stream: UInt32) -> [UInt8] {
        frame(.headers, flags: 0x04, stream: stream, payload: [0x83] + fields(path).dropFirst())
    }

    /// The bodies received so far, concatenated.
    var text: String { state.withLock { $0.text } }

    /// Returns once `isEnough`, or the connection is closed.
    @discardableResult
    func wait(until isEnough: @escaping @Sendable (Seen) -> Bool) async -> Seen {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isNow = state.withLock { state in
                if state.isClosed || isEnough(state.seen) { return true }
                state.waiting.append((continuation, isEnough))
                return false
            }
            if isNow { continuation.resume() }
        }
        return state.withLock { $0.seen }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        state.withLock { state in
            state.bytes.writeBuffer(&part)
            while let length = state.bytes.getInteger(
                at: state.bytes.readerIndex, as: UInt32.self
            ).map({ Int($0 >> 8) }),
                state.bytes.readableBytes >= 9 + length
            {
                let start = state.bytes.readerIndex
                let type = state.bytes.getInteger(at: start + 3, as: UInt8.self) ?? 0
                let stream = state.bytes.getInteger(at: start + 5, as: UInt32.self) ?? 0
                state.frames.append((type, stream))
                if type == Frame.resetStream.rawValue {
                    state.resets[stream] = state.bytes.getInteger(at: start + 9)
                }
                if type == Frame.data.rawValue {
                    state.text += state.bytes.getString(at: start + 9, length: length) ?? ""
                }
                state.bytes.moveReaderIndex(forwardBy: 9 + length)
            }
        }
        emit()
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.withLock { $0.isClosed = true }
        emit()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func emit() {
        let ready = state.withLock { state in
            let seen = state.seen
            let ready = state.waiting.filter { state.isClosed || $0.1(seen) }
            state.waiting.removeAll { state.isClosed || $0.1(seen) }
            return ready
        }
        for waiter in ready { waiter.0.resume() }
    }
}

extension BareHTTP2.State {
    fileprivate var seen: BareHTTP2.Seen {
        BareHTTP2.Seen(frames: frames, resets: resets, isClosed: isClosed)
    }
}
