public import AppStore

extension LifeFact {
    /// What a fact says beside its name and product. Few facts have one: it lies apart.
    public indirect enum Detail: Hashable, Sendable {
        /// Of `refunded`, and of `refundReversed` where the refund is known.
        case refund(Refund)
        /// Of facts about another product: the change that was scheduled, cancelled or carried out.
        case change(ProductChange)
    }

    /// What was given back.
    public struct Refund: Hashable, Sendable {
        /// The part of the price that is stated; nil where no price is, and of copies through
        /// Family Sharing or assignment, which are never money.
        public var amount: Money?
        /// The stretch that had been paid for.
        public var from: Timestamp
        /// Nil of what lasts for ever.
        public var to: Timestamp?
    }

    /// A product in the place of another.
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

    /// Positions of all events that prove it, ascending, `cause` among them.
    public var events: [Int64] { [cause, secondCause].compactMap(\.self).ascending() }
}

extension History {
    /// What a refund of a period, or of a one-time purchase, gave back.
    func refund(_ span: RevocationSpan, of index: Int) -> LifeFact.Refund {
        let period = periods[index]
        let isOpen = isOneTime && period.end == Timestamp(milliseconds: .max)
        return LifeFact.Refund(
            amount: amount(of: period).map { price in
                Money(
                    milliunits: refunded(price.milliunits, by: span, of: index),
                    currency: price.currency)
            }, from: period.start, to: isOpen ? nil : period.end)
    }

    /// What was paid for a period, as far as that is money and a price.
    private func amount(of period: Period) -> Money? {
        guard let best = facts[period.bestFact].statedTransaction, let price = best.money,
            best.ownership != .familyShared, best.ownership != .assigned,
            (0...BillingPeriod.largestPrice).contains(price.milliunits)
        else { return nil }
        return price
    }
}
