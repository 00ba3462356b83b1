import NIOCore
import Synchronization

/// Notices a reader that takes nothing, and closes its connection: whoever waits for it to take
/// more is then free.
final class StallWatch: Sendable {
    private let begun = Mutex<ContinuousClock.Instant?>(nil)
    private let limit: Duration

    init(limit: Duration) { self.limit = limit }

    /// A write began, or ended.
    func note(isWriting: Bool) { begun.withLock { $0 = isWriting ? .now : nil } }

    var isStalled: Bool {
        guard let begun = begun.withLock({ $0 }) else { return false }
        return begun.duration(to: .now) > limit
    }

    /// Returns when the connection was closed, or the task is cancelled.
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
