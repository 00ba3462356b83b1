import NIOCore
import NIOHTTP1
internal import Service

/// Server duties of HTTP/1 beyond message framing: exactly one Host, `100 Continue` or a refusal
/// before the body, and closing connections that do not persist.
final class HTTP1Rules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Largest body that any route accepts; a client that announces a larger one gets the refusal
    /// instead of `100 Continue`.
    static let largestByteCount = LedgerHost.notificationByteCount

    /// Requests in progress, oldest first: whether each is the last one, and whether it is
    /// HTTP/1.0.
    private var open: CircularBuffer<(isLast: Bool, isOld: Bool)> = []
    /// Data after the last request of a connection is ignored.
    private var hasLast = false
    private var isPassing = false

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            if isPassing { context.fireChannelRead(data) }
            return
        }
        isPassing = !hasLast
        guard isPassing else { return }
        let isOld = head.version.major < 1 || head.version == .http1_0
        let isSettled = HTTP1Rules.settleHost(&head, isOld: isOld)
        // RFC 9112 §9.3. The NIO handler behind this one compares the value case-sensitively.
        let isLast =
            isOld || HTTP1Rules.asksToChangeProtocol(head)
            || head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
        if isLast {
            head.headers.replaceOrAdd(name: "connection", value: "close")
            hasLast = true
        }
        if !isOld, open.isEmpty, HTTP1Rules.waits(head) {
            let answer = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
        }
        open.append((isLast, isOld))
        // Unchanged heads are passed on without wrapping them again.
        let isChanged = isLast || !isSettled
        context.fireChannelRead(isChanged ? wrapInboundOut(.head(head)) : data)
    }

    /// Enforces exactly one Host in HTTP/1.1 (RFC 9112 §3.2), equal to that of an absolute target;
    /// HTTP/1.0 may have none. A violation removes the field, and `HostMiddleware` then refuses the
    /// request. Returns whether the head is unchanged.
    private static func settleHost(_ head: inout HTTPRequestHead, isOld: Bool) -> Bool {
        switch head.headers["host"].count {
        case 0 where isOld: head.headers.add(name: "host", value: "")
        case 0: return true
        case 1 where !HostMiddleware.isForeign(head.uri, to: head.headers["host"]): return true
        default: head.headers.remove(name: "host")
        }
        return false
    }

    /// Whether to send `100 Continue` (RFC 9110 §10.1.1): if awaited, and not for too large a body.
    private static func waits(_ head: HTTPRequestHead) -> Bool {
        guard head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) else {
            return false
        }
        guard let text = head.headers.first(name: "content-length") else { return true }
        return Int(text).map { $0 <= largestByteCount } ?? false
    }

    /// Whether the request asks for another protocol, which is not granted (RFC 9110 §7.8, §9.3.6).
    /// NIO's decoder drops everything after such a request.
    private static func asksToChangeProtocol(_ head: HTTPRequestHead) -> Bool {
        head.method == .CONNECT || head.headers.contains(name: "upgrade")
    }

    // MARK: Responses

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard let request = open.first else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard request.isLast || request.isOld else {
                return context.write(data, promise: promise)
            }
            if request.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            // HTTP/1.0 has no chunks: the end of the connection ends the response.
            if request.isOld { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            open.removeFirst()
            guard request.isLast else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { _ in
                context.close(mode: .output, promise: nil)
            }
            context.writeAndFlush(data, promise: written)
        }
    }
}
