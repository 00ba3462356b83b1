public import AppStore

/// Which lives a generated history tells, and how much of them. Everything follows from it: the
/// same plan tells the same history, signatures apart.
public struct HistoryPlan: Sendable {
    /// The app and its products.
    public let world: SubscriberWorld
    /// Production or Sandbox: a life belongs to one of them.
    public let environment: Environment
    /// Names the set of lives; two histories of different seeds share no chain.
    public let seed: UInt64
    /// Where the history ends.
    public let limit: Limit

    /// Where a history ends.
    public enum Limit: Hashable, Sendable {
        /// After so many deliveries; lives that are not over by then stay unfinished.
        case events(Int)
        /// After so many whole lives.
        case chains(Int)
    }

    /// Largest seed: with it, a chain's id still has no more than 22 digits.
    public static let maximumSeed: UInt64 = 1_000_000
    /// Lives one seed names, alive in this environment or not.
    static let livesPerSeed: UInt64 = 1_000_000_000
    /// What a life brings on average, rounded down: too many lives planned is a history that
    /// breaks off earlier, too few one whose last lives all begin at its end.
    static let eventsPerLife = 8
    /// Lives planned beyond the average, so that chance never leaves too few.
    static let spareLives = 16

    /// A history of the first lives that `seed` names.
    public init(
        world: SubscriberWorld = SubscriberWorld(), environment: Environment = .production,
        seed: UInt64 = 0, limit: Limit
    ) {
        self.world = world
        self.environment = environment
        self.seed = seed
        self.limit = limit
    }

    /// Lives whose beginnings are spread over the world's time of first purchases.
    var plannedLives: Int {
        switch limit {
        case .events(let count): count / HistoryPlan.eventsPerLife + HistoryPlan.spareLives
        case .chains(let count): max(1, count)
        }
    }

    /// When the `index`-th life begins: its slice of the time of first purchases; later ones than
    /// planned begin in the last slice.
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
