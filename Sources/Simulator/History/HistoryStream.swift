import AppStore

/// The deliveries of a plan, lives interleaved, in order of arrival within bounded memory: exact
/// while no more than `pendingLimit` deliveries are ahead of the life that starts next; beyond that
/// the earliest are emitted although lives that start later may precede them.
public struct HistoryStream: Sendable {
    private let plan: HistoryPlan
    /// Generated but not yet emitted, in order of arrival.
    private var pending: [HistoryDelivery] = []
    /// Number of lives started so far.
    public private(set) var lifeCount = 0
    private var nextSeed: UInt64
    private var reported = 0
    private var isAtEnd = false

    /// Lives started per step.
    static let livesPerStep = 256
    /// Deliveries buffered, about 2 KiB each.
    static let pendingLimit = 32_768

    /// Starts at the beginning of the plan's history.
    public init(_ plan: HistoryPlan) {
        self.plan = plan
        nextSeed = plan.seed * HistoryPlan.livesPerSeed + 1
    }

    /// The next deliveries, in order; empty at the end.
    public mutating func next() -> [HistoryDelivery] {
        while !isAtEnd {
            let mayBegin = mayBeginMore
            if mayBegin { beginLives() }
            let page = takeDue(isLast: !mayBegin)
            if !page.isEmpty { return page }
            isAtEnd = !mayBegin
        }
        return []
    }

    private var mayBeginMore: Bool {
        switch plan.limit {
        case .events(let count): reported < count
        case .chains(let count): lifeCount < count
        }
    }

    private mutating func beginLives() {
        let planned = plan.plannedLives - lifeCount
        let count = min(HistoryStream.livesPerStep, planned > 0 ? planned : .max)
        var added: [HistoryDelivery] = []
        for _ in 0..<count {
            let life = nextLife()
            let arrivals = Delivery.inOrderOfArrival(life.deliveries)
            let truth = HistoryTruth(
                seed: life.seed, originalTransactionId: life.originalTransactionId,
                intervals: life.truth)
            for (index, delivery) in arrivals.enumerated() {
                added.append(
                    HistoryDelivery(
                        delivery, life: lifeCount,
                        truth: index == arrivals.count - 1 ? truth : nil))
            }
            lifeCount += 1
        }
        pending = (pending + added).sorted(by: HistoryStream.comesBefore)
    }

    /// The next life in the environment.
    private mutating func nextLife() -> SubscriberLife {
        let world = SubscriberWorld(
            bundleId: plan.world.bundleId, appAppleId: plan.world.appAppleId,
            firstPurchases: plan.beginning(of: lifeCount), horizon: plan.world.horizon)
        while true {
            let life = world.life(seed: nextSeed)
            nextSeed += 1
            if life.environment == plan.environment { return life }
        }
    }

    /// Deliveries to emit: those that no later life can precede, or more when too many are
    /// buffered.
    private mutating func takeDue(isLast: Bool) -> [HistoryDelivery] {
        var count = pending.count
        if !isLast {
            let bound = plan.beginning(of: lifeCount).lowerBound
            let due = pending.firstIndex { $0.delivery.receivedAt >= bound } ?? pending.count
            count = max(due, pending.count - HistoryStream.pendingLimit)
        }
        if case .events(let limit) = plan.limit { count = min(count, limit - reported) }
        let page = Array(pending.prefix(count))
        pending.removeFirst(count)
        reported += count
        return page
    }

    private static func comesBefore(_ left: HistoryDelivery, _ right: HistoryDelivery) -> Bool {
        (left.delivery.receivedAt, left.life, left.delivery.ordinal)
            < (right.delivery.receivedAt, right.life, right.delivery.ordinal)
    }
}
