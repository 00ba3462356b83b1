import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Bounds how long a request may take to arrive, however many bytes trickle in: the head from the
/// connection or the last answer on, the body from the head on. A body that takes too long is told
/// so (408) before the connection closes.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private var deadline: Scheduled<Void>?
    private var isReadingBody = false
    private var isAnswering = false
    private var isClosing = false
    /// Requests whose answer is not complete.
    private var openCount = 0

    init(limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { schedule(limits.headSeconds, context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        schedule(limits.headSeconds, context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    // MARK: Parts

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head:
            openCount += 1
            isReadingBody = true
            schedule(limits.bodySeconds, context)
        case .body: break
        case .end:
            isReadingBody = false
            deadline?.cancel()
            deadline = nil
            // An answer that was quicker than the rest of its body.
            if openCount == 0 { schedule(limits.idleSeconds, context) }
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head: isAnswering = true
        case .body: break
        case .end:
            isAnswering = false
            openCount -= 1
            if openCount == 0, !isReadingBody { schedule(limits.idleSeconds, context) }
        }
        context.write(data, promise: promise)
    }

    // MARK: Deadline

    private func schedule(_ seconds: Int, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
            let (handler, context) = bound.value
            handler.expire(context)
        }
    }

    private func expire(_ context: ChannelHandlerContext) {
        isClosing = true
        guard isReadingBody, !isAnswering, openCount == 1 else {
            context.close(promise: nil)
            return
        }
        let problem = Problem(
            .requestTimeout, code: "requestTimeout",
            detail: "The body did not arrive within \(limits.bodySeconds) s.")
        let body = problem.body
        let head = HTTPResponse(
            status: .requestTimeout,
            headerFields: [
                .contentType: "application/problem+json", .contentLength: String(body.count),
                .connection: "close",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }
}
