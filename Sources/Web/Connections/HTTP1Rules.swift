import NIOCore
import NIOHTTP1

/// What HTTP/1 asks of a server beside reading and writing messages: one Host, an answer to who
/// expects one before the body, and an end to connections that are not to be kept.
final class HTTP1Rules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Largest body that anything here takes: whoever states a larger one waits for the refusal.
    static let largestByteCount = NotificationRoutes.maximumByteCount

    /// Of requests that are being answered, oldest first: whether each is the last one, and whether
    /// it is of HTTP/1.0.
    private var open: CircularBuffer<(isLast: Bool, isOld: Bool)> = []
    /// Nothing behind the last request of a connection is looked at.
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
        HTTP1Rules.settleHost(&head, isOld: isOld)
        // RFC 9112 §9.3. Whoever reads it behind this compares it as it is.
        let isLast =
            isOld
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
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// HTTP/1.1 wants exactly one Host (RFC 9112 §3.2); an older request may have none. Where they
    /// do not fit, none is left, and `HostMiddleware` refuses the request.
    private static func settleHost(_ head: inout HTTPRequestHead, isOld: Bool) {
        let count = head.headers[canonicalForm: "host"].count
        if count == 0, isOld { head.headers.add(name: "host", value: "") }
        if head.headers["host"].count > 1 { head.headers.remove(name: "host") }
    }

    /// Whether the sender waits for a word before it sends its body (RFC 9110 §10.1.1).
    private static func waits(_ head: HTTPRequestHead) -> Bool {
        guard head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) else {
            return false
        }
        guard let text = head.headers.first(name: "content-length") else { return true }
        return Int(text).map { $0 <= largestByteCount } ?? false
    }

    // MARK: Answers

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard let request = open.first else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if request.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            // Its reader knows no chunks: the end of the connection is the end of the answer.
            if request.isOld { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            open.removeFirst()
            guard request.isLast else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in bound.value.close(mode: .output, promise: nil)
            }
            context.writeAndFlush(data, promise: written)
        }
    }
}
