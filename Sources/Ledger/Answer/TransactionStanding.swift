public import AppStore

/// The status of one transaction of a chain at a moment: the first answer to a query by transaction
/// id.
public struct TransactionStanding: Hashable, Sendable {
    public var transactionId: TransactionId
    public var productId: ProductId?
    /// Start of the time it covers; `to` is the period's end, or the start of the next if earlier.
    public var from: Timestamp
    /// Nil if open-ended.
    public var to: Timestamp?
    public var outcome: Outcome
    /// Date of the refund, revoke or end; nil while current or upcoming.
    public var since: Timestamp?
    /// The refunded amount, if a price is stated.
    public var amount: Money?

    /// Raw values are part of the contract.
    public enum Outcome: String, Sendable, CaseIterable {
        /// It begins later.
        case upcoming
        case current
        /// Its period is over, or an assigned copy was withdrawn.
        case ended
        case refunded
        case familyRevoked

        public var isRevoked: Bool { self == .refunded || self == .familyRevoked }
    }
}

extension Lifecycle {
    /// Whether two transactions are one purchase: the same, or a restored copy of it.
    package func isOnePurchase(_ one: TransactionId, _ other: TransactionId) -> Bool {
        let indices = history.periodIndices
        return indices[one].map { $0 == indices[other] } ?? false
    }

    /// The status of a transaction; nil if it is not in the chain or does not count.
    public func standing(of id: TransactionId, at: Timestamp) -> TransactionStanding? {
        let periods = history.periods
        guard let index = history.periodIndices[id] else { return nil }
        let period = periods[index]
        let isLast = history.isOneTime || index + 1 == periods.count
        let next = isLast ? nil : periods[index + 1].countsFrom
        let isOpen = history.isOneTime && period.end == Timestamp(milliseconds: .max)
        let end = isOpen ? nil : max(period.countsFrom, min(period.end, next ?? period.end))
        var standing = TransactionStanding(
            transactionId: id,
            productId: history.facts[period.bestFact].statedTransaction?.productId,
            from: min(period.start, period.countsFrom, end ?? period.start), to: end,
            outcome: .current)
        // A refund made before the period begins is reported at once.
        if let span = period.spans.first(where: { $0.contains(at) }) {
            standing.outcome =
                switch span.reason {
                case .refund: .refunded
                case .familyRevoke: .familyRevoked
                default: .ended
                }
            standing.since = span.from
            standing.amount = span.isRefund ? history.refund(span, of: index).amount : nil
        } else if at < period.countsFrom {
            standing.outcome = .upcoming
        } else if let end, end <= at {
            standing.outcome = .ended
            standing.since = end
        }
        return standing
    }
}
