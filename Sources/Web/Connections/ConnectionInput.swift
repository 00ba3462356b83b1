import NIOCore
import Synchronization

/// Whether the other end of a connection still sends. One that does not may have gone, or only have
/// nothing more to say: writing to it tells.
final class ConnectionInput: Sendable {
    private let closed = Mutex(false)

    var isClosed: Bool { closed.withLock { $0 } }

    func close() { closed.withLock { $0 = true } }

    /// Asked of a channel as an outbound event.
    struct Question: Sendable {
        let answer: EventLoopPromise<ConnectionInput>
    }

    /// That of a channel; nil where nobody knows.
    static func of(_ channel: any Channel) async -> ConnectionInput? {
        let answer = channel.eventLoop.makePromise(of: ConnectionInput.self)
        try? await channel.triggerUserOutboundEvent(Question(answer: answer)).get()
        // Whoever knows has answered by now, and the first answer is the one that counts.
        answer.fail(ChannelError.operationUnsupported)
        return try? await answer.futureResult.get()
    }
}
