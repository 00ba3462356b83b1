public import AppStore

extension TimelineEvent {
    /// The values of a fact besides its name and product. Indirect, because few facts have any.
    public indirect enum Detail: Hashable, Sendable {
        /// Of `refunded`, and of `refundReversed` where the refund is known.
        case refund(Refund)
        /// Of facts about another product: the change that was scheduled, cancelled or carried out.
        case change(ProductChange)
    }

    /// The refunded amount and time.
    public struct Refund: Hashable, Sendable {
        /// The refunded part of the stated price; nil without a price, and for copies by Family
        /// Sharing or assignment, which never count as money.
        public var amount: Money?
        /// Start of the paid time.
        public var from: Timestamp
        /// Nil if open-ended.
        public var to: Timestamp?
    }

    /// A change from one product to another.
    public struct ProductChange: Hashable, Sendable {
        public var from: ProductId
        public var to: ProductId
    }

    public var refund: Refund? {
        if case .refund(let refund) = detail { refund } else { nil }
    }

    public var change: ProductChange? {
        if case .change(let change) = detail { change } else { nil }
    }

    /// Positions of all events that prove it, ascending, including `cause`.
    public var events: [Int64] { [cause, secondCause].compactMap(\.self).ascending() }
}

extension History {
    /// The refund of a period or of a one-time purchase.
    func refund(_ span: RevocationSpan, of index: Int) -> TimelineEvent.Refund {
        let period = periods[index]
        let isOpen = isOneTime && period.end == Timestamp(milliseconds: .max)
        return TimelineEvent.Refund(
            amount: amount(of: period).map { price in
                Money(
                    milliunits: refunded(price.milliunits, by: span, of: index),
                    currency: price.currency)
            }, from: period.start, to: isOpen ? nil : period.end)
    }

    /// The price paid for a period; nil if it has none or never counts as money.
    private func amount(of period: Period) -> Money? {
        guard let best = facts[period.bestFact].statedTransaction, let price = best.money,
            best.ownership.isOwnPurchase,
            (0...BillingPeriod.largestPrice).contains(price.milliunits)
        else { return nil }
        return price
    }
}
