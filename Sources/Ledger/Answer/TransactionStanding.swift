public import AppStore

/// What became of one transaction of a chain by a moment: what comes first for a reader who asks by
/// its id.
public struct TransactionStanding: Hashable, Sendable {
    public var transactionId: TransactionId
    public var productId: ProductId?
    /// Bounds of what it gave: of a period its end, or where the next one began before.
    public var from: Timestamp
    /// Nil of what has no end.
    public var to: Timestamp?
    public var outcome: Outcome
    /// Since when: the date of the refund or revoke, or the end; nil while it lasts or is to come.
    public var since: Timestamp?
    /// Of a refund: what was given back, where a price is stated.
    public var amount: Money?

    /// Raw values are the contract's.
    public enum Outcome: String, Sendable, CaseIterable {
        /// It begins later.
        case upcoming
        case current
        case ended
        case refunded
        case familyRevoked

        public var isRevoked: Bool { self == .refunded || self == .familyRevoked }
    }
}

extension Lifecycle {
    /// What became of a transaction; nil for one that is none of the chain's, or does not count.
    public func standing(of id: TransactionId, at: Timestamp) -> TransactionStanding? {
        let periods = history.periods
        let found =
            history.isOneTime
            ? periods.indices.first { _ in
                history.records.contains { $0.transactionId == id }
            } : periods.firstIndex { $0.contains(transaction: id, in: history.records) }
        guard let index = found else { return nil }
        let period = periods[index]
        let next = index + 1 < periods.count ? periods[index + 1].countsFrom : nil
        let isOpen = history.isOneTime && period.end == Timestamp(milliseconds: .max)
        let end = isOpen ? nil : max(period.countsFrom, min(period.end, next ?? period.end))
        var standing = TransactionStanding(
            transactionId: id,
            productId: history.facts[period.bestFact].statedTransaction?.productId,
            from: period.start, to: end, outcome: .current)
        if let span = period.spans.first(where: { $0.contains(at) }) {
            standing.outcome = span.isFamilyRevoke ? .familyRevoked : .refunded
            standing.since = span.from
            standing.amount = span.isFamilyRevoke ? nil : history.refund(span, of: index).amount
        } else if at < period.countsFrom {
            standing.outcome = .upcoming
        } else if let end, end <= at {
            standing.outcome = .ended
            standing.since = end
        }
        return standing
    }
}
