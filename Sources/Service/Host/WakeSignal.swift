import Synchronization

/// Wakes one sleeper; signals while it is awake are remembered as one.
final class WakeSignal: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRaised = false
        var sleeper: AsyncStream<Void>.Continuation?
    }

    /// Wakes the sleeper, now or as soon as it sleeps.
    func raise() {
        let sleeper = state.withLock { state in
            state.isRaised = state.sleeper == nil
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.finish()
    }

    /// Sleeps until signalled, cancelled, or the limit has passed. One sleeper at a time.
    func sleep(atMost limit: Duration) async {
        let (raised, sleeper) = AsyncStream.makeStream(of: Void.self)
        let isAwake = state.withLock { state in
            if state.isRaised {
                state.isRaised = false
                return true
            }
            state.sleeper = sleeper
            return false
        }
        guard !isAwake else { return }
        _ = await first(by: .now + limit) { for await _ in raised {} }
        state.withLock { $0.sleeper = nil }
    }
}
