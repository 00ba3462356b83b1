import NIOCore
import Synchronization

/// Whether the peer still sends. A peer that has closed its sending side may be gone, or may only
/// have finished its request; only a write can distinguish the two.
final class ConnectionInput: Sendable {
    private let closed = Mutex(false)

    var isClosed: Bool { closed.withLock { $0 } }

    func close() { closed.withLock { $0 = true } }

    /// The state of a channel; nil if no handler tracks it.
    static func of(_ channel: any Channel) async -> ConnectionInput? {
        try? await channel.pipeline.context(handlerType: RequestDeadlines.self)
            .map { ($0.handler as? RequestDeadlines)?.input }.get()
    }
}
