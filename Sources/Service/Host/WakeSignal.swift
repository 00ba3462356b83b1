import Synchronization

/// Wakes one sleeper; signals while it is awake are remembered as one.
final class WakeSignal: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRaised = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    /// Wakes the sleeper, now or as soon as it sleeps.
    func raise() {
        let sleeper = state.withLock { state in
            state.isRaised = state.sleeper == nil
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }

    /// Sleeps until signalled, cancelled, or the limit has passed. One sleeper at a time.
    func sleep(atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await wait() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    if state.isRaised || Task.isCancelled {
                        state.isRaised = false
                        return true
                    }
                    state.sleeper = continuation
                    return false
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                defer { state.sleeper = nil }
                return state.sleeper
            }
            sleeper?.resume()
        }
    }
}
