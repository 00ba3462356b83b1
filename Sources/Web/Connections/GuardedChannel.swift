import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// A connection, counted by the limiter, with a limit on its TLS handshake.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let limiter: ConnectionLimiter
    /// Nil without TLS.
    let handshakeSeconds: Int?

    /// Thrown when a connection is closed for lack of room.
    struct Full: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let id = ObjectIdentifier(channel)
        let isIn = limiter.enter(id, from: channel.remoteAddress?.ipAddress ?? "") {
            channel.close(promise: nil)
        }
        guard isIn else { return channel.close().flatMapThrowing { throw Full() } }
        channel.closeFuture.whenComplete { _ in limiter.leave(id) }
        let isReady = base.setup(channel: channel, logger: logger)
        guard let handshakeSeconds else { return isReady }
        return isReady.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
            try pipeline.addHandler(
                HandshakeDeadline(seconds: handshakeSeconds), position: .after(tls))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Closes a connection whose TLS handshake takes too long.
private final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let seconds: Int
    private var deadline: Scheduled<Void>?

    init(seconds: Int) { self.seconds = seconds }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
            channel.close(promise: nil)
        }
    }

    /// Also called when the connection closes.
    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { deadline?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
