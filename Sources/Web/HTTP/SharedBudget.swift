import Synchronization

/// A bound on what all requests hold at once: bytes in memory, or streams.
final class SharedBudget: Sendable {
    let limit: Int
    /// Of the limit, what only small shares may take.
    private let reserve: Int
    private let held = Mutex(0)

    init(limit: Int, reserve: Int = 0) {
        self.limit = limit
        self.reserve = reserve
    }

    /// Charges `count`, which the caller releases; false when there is no room.
    func charge(_ count: Int, isSmall: Bool = true) -> Bool {
        let room = limit - (isSmall ? 0 : reserve)
        return held.withLock { held in
            guard held + count <= room else { return false }
            held += count
            return true
        }
    }

    func release(_ count: Int) { held.withLock { $0 -= count } }

    /// A share of `count`; nil when there is no room.
    func take(_ count: Int, isSmall: Bool = true) -> Share? {
        charge(count, isSmall: isSmall) ? Share(of: self, count) : nil
    }

    /// Released when its last reference goes.
    final class Share: Sendable {
        private let budget: SharedBudget
        private let count: Int

        fileprivate init(of budget: SharedBudget, _ count: Int) {
            self.budget = budget
            self.count = count
        }

        deinit { budget.release(count) }
    }
}
