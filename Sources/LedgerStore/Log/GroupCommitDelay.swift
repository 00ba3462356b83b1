/// How long the writer lets appends accumulate before the next COMMIT. Under load, a commit issued
/// immediately after the last one would carry a handful of events, and synchronising costs the same
/// for one as for many; a pause of a few milliseconds leaves the cores to the appending callers. A
/// single caller never waits.
enum GroupCommitDelay {
    /// Batches, and events, from which a commit waits for more: few callers would only wait for
    /// each other.
    static let leastEventCount = 4
    /// Events that suffice for a separate commit.
    static let enoughEventCount = 64
    /// Minimum time from the start of one commit to the next.
    static let interval: Duration = .milliseconds(4)

    /// The pause before the next commit; zero for none.
    ///
    /// - Parameters:
    ///   - waiting: events handed over and not written.
    ///   - sinceLast: time since the last commit began.
    static func pause(waiting: Int, sinceLast: Duration) -> Duration {
        guard waiting >= leastEventCount, waiting < enoughEventCount else { return .zero }
        return max(.zero, interval - sinceLast)
    }
}
