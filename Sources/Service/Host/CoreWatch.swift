import Synchronization

/// How much the cores have to do: what the projector's pace rests on. Means over a second or two, as
/// one look says little: work comes in waves.
struct CoreLoad: Equatable {
    /// Between something being asked of the cores and its beginning.
    var delay: Duration = .zero
    /// What the cores did; nil until it was looked at twice, and where the system does not tell.
    var use: CoreUse?
    /// Notifications that are being taken.
    var notificationCount = 0.0
}

/// Looks, as long as the service runs, how much the cores have to do.
public final class CoreWatch: Sendable {
    private let mean = Mutex(CoreLoad())
    private let taking = Atomic(0)

    /// How often it looks.
    static let interval: Duration = .milliseconds(25)
    /// Looks that a mean is over, roughly: each newer one weighs as much as all before it by this.
    static let weight = 32
    /// Looks after which the system is asked what the cores did: it counts in hundredths of a second.
    static let useInterval = 10
    /// Answers of the system that a mean is over, roughly.
    static let useWeight = 8

    /// The mean time between something being asked of the cores and its beginning.
    public var delay: Duration { load.delay }
    /// Cores with nothing to do, as a mean; nil where the system does not tell.
    public var freeCores: Double? { load.use?.freeCores }

    var load: CoreLoad { mean.withLock { $0 } }

    // MARK: Looking

    /// Looks until the task is cancelled.
    func run() async {
        var (looks, times) = (0, CoreTimes.now())
        while !Task.isCancelled {
            let asked = ContinuousClock.now
            await Task.yield()
            note(asked.duration(to: .now))
            looks += 1
            if looks.isMultiple(of: CoreWatch.useInterval), let before = times,
                let now = CoreTimes.now()
            {
                if let use = CoreUse(from: before, to: now) { note(use) }
                times = now
            }
            try? await Task.sleep(for: CoreWatch.interval)
        }
    }

    /// One look: how long it took to begin, and how much is being taken.
    func note(_ delay: Duration) {
        let count = Double(taking.load(ordering: .relaxed))
        mean.withLock {
            $0.delay += (delay - $0.delay) / CoreWatch.weight
            $0.notificationCount += (count - $0.notificationCount) / Double(CoreWatch.weight)
        }
    }

    func note(_ use: CoreUse) {
        mean.withLock {
            $0.use = $0.use?.meaned(with: use, weight: CoreWatch.useWeight) ?? use
        }
    }

    // MARK: Counting

    /// Counts a notification as being taken until `body` ends.
    public func whileTaking<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        taking.wrappingAdd(1, ordering: .relaxed)
        defer { taking.wrappingSubtract(1, ordering: .relaxed) }
        return try await body()
    }
}
