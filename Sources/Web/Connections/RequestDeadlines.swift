import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOTLS

/// Bounds how long a TLS handshake may take, and a request to arrive: the head from its first
/// byte, the body from the head. Further bytes extend neither deadline. A body that takes too long
/// is answered with 408 before the connection closes. Also bounds how long a response may wait for
/// a reader that accepts nothing.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    /// Counts connections without a request; nil once one has come.
    private var limiter: ConnectionLimiter?
    let input = ConnectionInput()
    private let hasTLS: Bool
    /// Closes the connection unless its TLS handshake has ended by then.
    private var handshake: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// When the current wait ends; nil while nothing is awaited.
    private var dueAt: NIODeadline?
    /// Checks `dueAt` at `alarmAt`, which is never later. The next request mostly arrives first,
    /// and moving `dueAt` is cheaper than rescheduling.
    private var alarm: Scheduled<Void>?
    private var alarmAt: NIODeadline = .distantFuture
    private var hasPartialHead = false
    private var isReadingBody = false
    private var isAnswering = false
    private var isClosing = false
    /// Requests whose response is incomplete.
    private var openCount = 0
    /// Response parts that the peer has not accepted.
    private var untakenCount = 0
    private var stall: Scheduled<Void>?

    init(limits: ConnectionLimits, limiter: ConnectionLimiter? = nil, hasTLS: Bool = false) {
        self.limits = limits
        self.limiter = limiter
        self.hasTLS = hasTLS
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watchConnection(context)
        if hasTLS { watchHandshake(context) }
        if context.channel.isActive { schedule(limits.idleSeconds, context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        schedule(limits.idleSeconds, context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        alarm?.cancel()
        stall?.cancel()
        handshake?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        dueAt = nil
        alarm?.cancel()
        alarm = nil
        stall?.cancel()
        input.close()
        context.fireChannelInactive()
    }

    /// Installs the handlers for arriving bytes and for heads, which belong around the decoder.
    private func watchConnection(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>
        do {
            let decoder = try pipeline.handler(type: Decoder.self)
            let arrivals = ByteArrivals { [weak self] in self?.bytesArrived() }
            try pipeline.addHandler(arrivals, position: .before(decoder))
            try pipeline.addHandler(HTTP1Rules(), position: .after(decoder))
        } catch {
            // A connection without its deadlines is not served.
            context.close(promise: nil)
        }
    }

    private func watchHandshake(_ context: ChannelHandlerContext) {
        let channel = context.channel
        handshake = context.eventLoop.scheduleTask(in: .seconds(Int64(limits.handshakeSeconds))) {
            channel.close(promise: nil)
        }
    }

    // MARK: Parts

    /// Bytes arrived that no handler has decoded yet.
    private func bytesArrived() {
        guard let context, !isClosing, !isReadingBody, !hasPartialHead else { return }
        hasPartialHead = true
        // For pipelined bytes the head's deadline starts when the current response ends.
        if openCount == 0 { schedule(limits.headSeconds, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head:
            limiter?.requested(ObjectIdentifier(context.channel))
            limiter = nil
            openCount += 1
            isReadingBody = true
            hasPartialHead = false
            schedule(limits.bodySeconds, context)
        case .body: break
        case .end:
            isReadingBody = false
            dueAt = nil
            // The response was complete before the request's body.
            if openCount == 0 { awaitHead(context) }
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
        var promise = promise
        switch unwrapOutboundIn(data) {
        case .head: isAnswering = true
        case .body: promise = watched(promise, context)
        case .end:
            promise = watched(promise, context)
            isAnswering = false
            // Unreadable requests are answered as well.
            openCount = max(0, openCount - 1)
            if openCount == 0, !isReadingBody { awaitHead(context) }
        }
        context.write(data, promise: promise)
    }

    // MARK: Readers

    func flush(context: ChannelHandlerContext) {
        context.flush()
        // Nearly every response is accepted at once and needs no deadline.
        if untakenCount > 0, stall == nil { watchReader(context) }
    }

    private func watched(
        _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        let taken = promise ?? context.eventLoop.makePromise()
        untakenCount += 1
        taken.futureResult.assumeIsolated().whenComplete { _ in self.partTaken(context) }
        return taken
    }

    private func partTaken(_ context: ChannelHandlerContext) {
        untakenCount -= 1
        guard let stall else { return }
        stall.cancel()
        self.stall = nil
        if untakenCount > 0, !isClosing, self.context != nil { watchReader(context) }
    }

    private func watchReader(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let limit = TimeAmount.seconds(Int64(limits.stallSeconds))
        stall = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.isClosing = true
            context.close(promise: nil)
        }
    }

    // MARK: The other end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { input.close() }
        if case .handshakeCompleted? = event as? TLSUserEvent { handshake?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Deadline

    private func awaitHead(_ context: ChannelHandlerContext) {
        schedule(hasPartialHead ? limits.headSeconds : limits.idleSeconds, context)
    }

    private func schedule(_ seconds: Int, _ context: ChannelHandlerContext) {
        let due = context.eventLoop.now + .seconds(Int64(seconds))
        dueAt = due
        if alarm == nil || due < alarmAt { setAlarm(at: due, context) }
    }

    private func setAlarm(at time: NIODeadline, _ context: ChannelHandlerContext) {
        alarm?.cancel()
        alarmAt = time
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
            self.checkDeadline(context)
        }
    }

    private func checkDeadline(_ context: ChannelHandlerContext) {
        alarm = nil
        guard let dueAt else { return }
        guard dueAt <= context.eventLoop.now else { return setAlarm(at: dueAt, context) }
        self.dueAt = nil
        expire(context)
    }

    private func expire(_ context: ChannelHandlerContext) {
        let canReport = isReadingBody && !isAnswering && openCount == 1 && !isClosing
        isClosing = true
        guard canReport else {
            context.close(promise: nil)
            return
        }
        let problem = Problem(
            .requestTimeout, code: "requestTimeout",
            detail: "The body did not arrive within \(limits.bodySeconds) s.")
        let body = problem.body
        let fields: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.count),
            .connection: "close",
        ]
        let head = HTTPResponse(status: .requestTimeout, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
        // A peer that accepts nothing more holds neither the connection nor the request's memory.
        schedule(limits.stallSeconds, context)
    }
}

/// Reports that bytes arrived, before any other handler reads them.
final class ByteArrivals: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let emit: () -> Void

    init(_ emit: @escaping () -> Void) { self.emit = emit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        emit()
        context.fireChannelRead(data)
    }
}
