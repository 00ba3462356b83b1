import NIOCore
import Synchronization

/// Whether the peer still sends. A peer that has closed its sending side may be gone, or may only
/// have finished its request; only a write can distinguish the two.
final class ConnectionInput: Sendable {
    private let closed = Mutex(false)

    var isClosed: Bool { closed.withLock { $0 } }

    func close() { closed.withLock { $0 = true } }

    /// The query, sent to a channel as an outbound event.
    struct Query: Sendable {
        let answer: EventLoopPromise<ConnectionInput>
    }

    /// The state of a channel; nil if no handler tracks it.
    static func of(_ channel: any Channel) async -> ConnectionInput? {
        let answer = channel.eventLoop.makePromise(of: ConnectionInput.self)
        try? await channel.triggerUserOutboundEvent(Query(answer: answer)).get()
        // A handler has answered already, and the first result wins.
        answer.fail(ChannelError.operationUnsupported)
        return try? await answer.futureResult.get()
    }
}
