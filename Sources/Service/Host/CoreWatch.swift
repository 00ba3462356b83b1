import Synchronization

/// The load of the cores, which sets the projector's pace. Means over a second or two, since load
/// comes in bursts.
struct CoreLoad: Equatable {
    /// Time between scheduling work and its start.
    var delay: Duration = .zero
    /// Use of the cores; nil until sampled twice, and where the system does not report it.
    var use: CoreUse?
    /// Notifications in progress.
    var notificationCount = 0.0
}

/// Samples the load of the cores while the service runs.
public final class CoreWatch: Sendable {
    private let mean = Mutex(CoreLoad())
    private let taking = Atomic(0)

    /// Sampling interval.
    static let interval: Duration = .milliseconds(25)
    /// Samples in a mean, roughly: each new one has the weight 1/`weight`.
    static let weight = 32
    /// Samples between two readings of the system's counts, whose resolution is 10 ms.
    static let useInterval = 10
    /// Readings of the system's counts in a mean, roughly.
    static let useWeight = 8

    /// The mean time between scheduling work and its start.
    public var delay: Duration { load.delay }
    /// Mean number of idle cores; nil where the system does not report it.
    public var freeCores: Double? { load.use?.freeCores }

    var load: CoreLoad { mean.withLock { $0 } }

    // MARK: Sampling

    /// Samples until the task is cancelled.
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

    /// Adds a sample: the scheduling delay, and the notifications in progress.
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

    /// Counts a notification as in progress until `body` ends.
    public func whileTaking<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        taking.wrappingAdd(1, ordering: .relaxed)
        defer { taking.wrappingSubtract(1, ordering: .relaxed) }
        return try await body()
    }
}
