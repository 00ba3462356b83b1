public import AppStore

/// The lives of a generated history and its length. The same plan gives the same history, except
/// for signatures.
public struct HistoryPlan: Sendable {
    /// The app and its products.
    public let world: SubscriberWorld
    /// Production or Sandbox: a life belongs to one of them.
    public let environment: Environment
    /// Names the set of lives; histories of different seeds share no chain.
    public let seed: UInt64
    /// The end of the history.
    public let limit: Limit

    /// The end of a history.
    public enum Limit: Hashable, Sendable {
        /// After this many deliveries; lives that are not over by then remain unfinished.
        case events(Int)
        /// After this many complete lives.
        case chains(Int)
    }

    /// Largest seed with which a chain's id has at most 22 digits.
    public static let maximumSeed: UInt64 = 1_000_000
    /// Lives per seed, whether in this environment or not.
    static let livesPerSeed: UInt64 = 1_000_000_000
    /// Average deliveries of a life, rounded down: planning too many lives ends the history
    /// earlier, planning too few makes the last lives all start at its end.
    static let eventsPerLife = 8
    /// Lives planned beyond the average, so that there are always enough.
    static let spareLives = 16

    /// A history of the first lives of `seed`.
    public init(
        world: SubscriberWorld = SubscriberWorld(), environment: Environment = .production,
        seed: UInt64 = 0, limit: Limit
    ) {
        self.world = world
        self.environment = environment
        self.seed = seed
        self.limit = limit
    }

    /// Number of lives whose starts are spread over the world's time of first purchases.
    var plannedLives: Int {
        switch limit {
        case .events(let count): count / HistoryPlan.eventsPerLife + HistoryPlan.spareLives
        case .chains(let count): max(1, count)
        }
    }

    /// When the `index`-th life starts: its slice of the time of first purchases; lives beyond the
    /// planned number start in the last slice.
    func beginning(of index: Int) -> ClosedRange<Timestamp> {
        let bounds = world.firstPurchases
        let from = bounds.lowerBound.milliseconds
        let length = bounds.upperBound.milliseconds - from
        let place = Int64(min(index, plannedLives - 1))
        let width = max(1, length / Int64(plannedLives))
        let start = min(from + place * width, from + length)
        return Timestamp(
            milliseconds: start)...Timestamp(milliseconds: min(start + width, from + length))
    }
}
