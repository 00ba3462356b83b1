package import LedgerStore
package import Projection

/// Checks whether a stored place of the feed, of its clock or a subscriber, belongs to the current
/// log. A restored backup that has grown past it has the same positions with other events.
extension EnvironmentLedger {
    /// Whether the event at that position is still the same. Without a stored hash, whether there
    /// is an event at all.
    package func holds(_ end: ProjectionCursor) async throws(StoreError) -> Bool {
        guard end.position > 0 else { return true }
        guard let present = try await checkpoint(at: end.position) else { return false }
        return end.leafHash == nil || present.leafHash == end.leafHash
    }

    /// The newest end of a reading that belongs to this log; the beginning when none does. Diverged
    /// logs never merge again, so everything before it belongs here, too.
    func lastReadingEnd(before position: Int64) async throws(StoreError) -> ProjectionCursor {
        var position = position
        while true {
            let ends = try await operations.readingEnds(
                before: position, limit: FeedLimits.readingEndCount)
            for end in ends where try await holds(end) {
                return ProjectionCursor(
                    position: end.position,
                    leafHash: try await checkpoint(at: end.position)?.leafHash)
            }
            guard let last = ends.last else { return .start }
            position = last.position
        }
    }
}
