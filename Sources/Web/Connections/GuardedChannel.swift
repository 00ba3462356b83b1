import HummingbirdCore
import Logging
import NIOCore

/// A connection, counted by the limiter, whose tasks run on its own event loop.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let limiter: ConnectionLimiter

    /// Thrown when a connection is closed for lack of room.
    struct Full: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let id = ObjectIdentifier(channel)
        let isIn = limiter.enter(id, from: channel.remoteAddress?.ipAddress ?? "") {
            channel.close(promise: nil)
        }
        guard isIn else { return channel.close().flatMapThrowing { throw Full() } }
        channel.closeFuture.whenComplete { _ in limiter.leave(id) }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
