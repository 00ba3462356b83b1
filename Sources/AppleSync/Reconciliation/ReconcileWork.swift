import AppStore
import Ledger
internal import SQLiteStore

/// A chain with notices to reconcile.
struct ReconcileWork: Sendable, Equatable {
    let chain: ChainId
    let notices: [OpenNotice]

    /// Codes of its notices, each once, in byte order.
    var codes: [String] { Set(notices.map(\.code.rawValue)).sorted() }

    /// Groups notices by chain; `ordered` sorts the chains.
    static func grouped(_ notices: [OpenNotice]) -> [ReconcileWork] {
        Dictionary(grouping: notices, by: \.chain).map { chain, notices in
            ReconcileWork(chain: chain, notices: notices)
        }
    }

    // MARK: Order

    /// The most valuable first: whether access is at stake now, ended recently, or long ago; then
    /// the chain's price as a share of the usual price in its currency, since currencies cannot be
    /// compared; then the latest access; then the chain's id.
    static func ordered(_ work: [ReconcileWork], at now: Timestamp) -> [ReconcileWork] {
        let prices = Dictionary(grouping: work.compactMap(\.price), by: \.currency)
            .mapValues { list in
                let sorted = list.map(\.milliunits).sorted()
                return max(1, sorted[sorted.count / 2])
            }
        func share(_ one: ReconcileWork) -> Int64 {
            guard let price = one.price, let usual = prices[price.currency] else { return 0 }
            // Real prices stay far below the bound.
            return min(price.milliunits, .max / 1_000) * 1_000 / usual
        }
        return work.map { (work: $0, urgency: $0.urgency(at: now), share: share($0)) }
            .sorted { left, right in
                if left.urgency != right.urgency { return left.urgency < right.urgency }
                if left.share != right.share { return left.share > right.share }
                let (one, two) = (left.work.accessUntil, right.work.accessUntil)
                if one != two { return one > two }
                return left.work.chain < right.work.chain
            }.map(\.work)
    }

    /// The price of the chain; nil for a copy of a family's or an organisation's.
    private var price: Money? {
        guard let first = notices.first, let price = first.price, price.milliunits > 0,
            first.ownership == ChainAnswer.Ownership.purchased.rawValue
        else { return nil }
        return price
    }

    private var accessUntil: Int64 { notices.first?.accessUntil?.milliseconds ?? .min }

    /// 0: access now, or an overdue renewal; 1: access ended recently; 2: long ago, or never.
    private func urgency(at now: Timestamp) -> Int {
        guard let until = notices.first?.accessUntil else { return 2 }
        if until > now { return 0 }
        let isRecent =
            until > now.advanced(byMilliseconds: -ReconcileLimits.recentMilliseconds)
        guard isRecent else { return 2 }
        return notices.contains { $0.code == .renewalOverdue } ? 0 : 1
    }
}
