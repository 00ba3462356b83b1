/// How long the writer lets appends gather before the next COMMIT. Under load a commit as soon as
/// the last one returned would carry a handful of events, and synchronising costs the same for one
/// as for many: a pause of a few milliseconds makes room on the cores for what is to be appended.
/// Whoever appends alone is never kept waiting.
package enum CommitPace {
    /// Events from which on a commit waits for more: fewer come from few callers, who would wait for
    /// each other.
    static let leastEventCount = 4
    /// Events that are enough for a commit of their own.
    static let enoughEventCount = 64
    /// Time from the beginning of one commit to the next.
    static let interval: Duration = .milliseconds(4)

    /// The pause before the next commit; zero for none.
    ///
    /// - Parameters:
    ///   - waiting: events handed over and not written.
    ///   - sinceLast: time since the last commit began.
    package static func pause(waiting: Int, sinceLast: Duration) -> Duration {
        guard waiting >= leastEventCount, waiting < enoughEventCount else { return .zero }
        return max(.zero, interval - sinceLast)
    }
}
