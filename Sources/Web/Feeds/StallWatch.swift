import NIOCore
import Synchronization

/// Detects a reader that accepts nothing and closes its connection, which releases the blocked
/// writer.
final class StallWatch: Sendable {
    private let begun = Mutex<ContinuousClock.Instant?>(nil)
    private let limit: Duration

    init(limit: Duration) { self.limit = limit }

    /// Records that a write began or ended.
    func note(isWriting: Bool) { begun.withLock { $0 = isWriting ? .now : nil } }

    var isStalled: Bool {
        guard let begun = begun.withLock({ $0 }) else { return false }
        return begun.duration(to: .now) > limit
    }

    /// Returns when the connection was closed or the task is cancelled.
    func guardConnection(_ channel: any Channel) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: limit / 4) } catch { return }
            if isStalled {
                channel.close(promise: nil)
                return
            }
        }
    }
}
