import Synchronization

/// How long the cores take to begin what is asked of them: the measure of a service that has more to
/// do than cores to do it. A mean over about a second, as one look says little: work comes in waves.
public final class CoreWatch: Sendable {
    private let mean = Mutex(Duration.zero)

    /// How often it looks.
    static let interval: Duration = .milliseconds(25)
    /// Looks that the mean is over, roughly: each newer one weighs as much as all before it by this.
    static let weight = 32

    /// The mean time between something being asked of the cores and its beginning.
    public var delay: Duration { mean.withLock { $0 } }

    /// Looks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let asked = ContinuousClock.now
            await Task.yield()
            note(asked.duration(to: .now))
            try? await Task.sleep(for: CoreWatch.interval)
        }
    }

    func note(_ delay: Duration) {
        mean.withLock { $0 += (delay - $0) / CoreWatch.weight }
    }
}
