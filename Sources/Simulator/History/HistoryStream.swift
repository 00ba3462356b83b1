import AppStore

/// The deliveries of a plan, lives interleaved, in order of arrival as far as a bounded memory
/// goes: exact while no more than `pendingLimit` deliveries lie ahead of the life that begins
/// next; beyond that the earliest are told before lives that begin later add to them.
public struct HistoryStream: Sendable {
    private let plan: HistoryPlan
    /// Made, and not yet told; in order of arrival.
    private var pending: [HistoryDelivery] = []
    /// Lives begun.
    private var begun = 0
    private var nextSeed: UInt64
    private var told = 0
    private var isAtEnd = false

    /// Lives begun at a time.
    static let livesPerStep = 256
    /// Deliveries kept for later, about 2 KiB each.
    static let pendingLimit = 32_768

    /// At the beginning of the plan's history.
    public init(_ plan: HistoryPlan) {
        self.plan = plan
        nextSeed = plan.seed * HistoryPlan.livesPerSeed + 1
    }

    /// Lives begun so far.
    public var lifeCount: Int { begun }

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
        case .events(let count): told < count
        case .chains(let count): begun < count
        }
    }

    private mutating func beginLives() {
        let planned = plan.plannedLives - begun
        let count = min(HistoryStream.livesPerStep, planned > 0 ? planned : .max)
        var added: [HistoryDelivery] = []
        for _ in 0..<count {
            let life = nextLife()
            let arrivals = Adversity.inOrderOfArrival(life.deliveries)
            let truth = HistoryTruth(
                seed: life.seed, originalTransactionId: life.originalTransactionId,
                intervals: life.truth)
            for (index, delivery) in arrivals.enumerated() {
                added.append(
                    HistoryDelivery(
                        delivery, life: begun,
                        truth: index == arrivals.count - 1 ? truth : nil))
            }
            begun += 1
        }
        pending = HistoryStream.merged(pending, added.sorted(by: HistoryStream.comesBefore))
    }

    /// The next life that belongs to the environment.
    private mutating func nextLife() -> SubscriberLife {
        let world = SubscriberWorld(
            bundleId: plan.world.bundleId, appAppleId: plan.world.appAppleId,
            firstPurchases: plan.beginning(of: begun), horizon: plan.world.horizon)
        while true {
            let life = world.life(seed: nextSeed)
            nextSeed += 1
            if life.environment == plan.environment { return life }
        }
    }

    /// What may be told: nothing that a life still to begin could precede, unless too much waits.
    private mutating func takeDue(isLast: Bool) -> [HistoryDelivery] {
        var count = pending.count
        if !isLast {
            let bound = plan.beginning(of: begun).lowerBound
            let due = pending.firstIndex { $0.delivery.receivedAt >= bound } ?? pending.count
            count = max(due, pending.count - HistoryStream.pendingLimit)
        }
        if case .events(let limit) = plan.limit { count = min(count, limit - told) }
        let page = Array(pending.prefix(count))
        pending.removeFirst(count)
        told += count
        return page
    }

    // MARK: Order

    private static func comesBefore(_ left: HistoryDelivery, _ right: HistoryDelivery) -> Bool {
        (left.delivery.receivedAt, left.life, left.delivery.ordinal)
            < (right.delivery.receivedAt, right.life, right.delivery.ordinal)
    }

    /// Two ordered lists as one.
    private static func merged(
        _ left: [HistoryDelivery], _ right: [HistoryDelivery]
    ) -> [HistoryDelivery] {
        var result: [HistoryDelivery] = []
        result.reserveCapacity(left.count + right.count)
        var index = left.startIndex
        for entry in right {
            while index < left.endIndex, !comesBefore(entry, left[index]) {
                result.append(left[index])
                index += 1
            }
            result.append(entry)
        }
        result.append(contentsOf: left[index...])
        return result
    }
}
