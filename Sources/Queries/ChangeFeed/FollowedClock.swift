internal import AppStore

/// The feed's clock as another node stored it, and as far as this one has projected.
struct FollowedClock: Equatable {
    /// The last position that readers may see here.
    let position: Int64
    /// The time up to which that node emitted changes at `position`; nil when it is beyond.
    let at: Timestamp?
    /// The time it stored.
    let stored: Timestamp

    /// Whether the stored clock has reached the start of a subscription.
    func hasPassed(_ beginning: FeedBeginning) -> Bool {
        guard beginning.position == position else { return beginning.position < position }
        return at.map { beginning.at <= $0 } ?? true
    }
}
