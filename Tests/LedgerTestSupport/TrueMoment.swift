import AppStore
import Ledger
import Simulator

/// The true attributes of a subscription at one time (`Lifecycle.md` §2, "Attributes at t"), always
/// one at which Apple signed a renewal info.
package struct TrueMoment: Hashable, Sendable {
    /// signedDate of the renewal info.
    package let at: Timestamp
    /// The state at that time.
    package let state: TrueState
    /// Product of the governing period.
    package let productId: ProductId
    /// Auto-renew according to that renewal info.
    package let willRenew: Bool
    /// The next renewal's product, if it is a different one and a renewal is due.
    package let nextProductId: ProductId?
    /// End of the uninterrupted entitled time around the moment; nil without access.
    package let accessUntil: Timestamp?
    /// The pricing of the governing period.
    package let phase: TruePhase
    /// Milliunits of the currency.
    package let price: Int64
    /// ISO 4217.
    package let currency: String
    /// Nil when there is no increase.
    package let priceIncrease: TruePriceIncrease?

    /// Whether an answer of the ledger states the same.
    package func equals(_ answer: ChainAnswer) -> Bool {
        answer.state.rawValue == state.rawValue
            && answer.productId == productId && answer.willRenew == willRenew
            && answer.nextProductId == nextProductId && answer.accessUntil == accessUntil
            && answer.phase.rawValue == phase.rawValue
            && answer.price == Money(milliunits: price, currency: currency)
            && answer.priceIncrease?.rawValue == priceIncrease?.rawValue
    }
}

/// The state of a price increase.
package enum TruePriceIncrease: String, Sendable {
    case pending
    case accepted
}

extension SubscriberLife {
    /// Attributes at the times Apple signed a renewal info, in order of signing.
    package var moments: [TrueMoment] {
        written.statements.filter { !$0.isExact }.compactMap { moment($0) }
    }

    private func moment(_ note: LifeWriter.RenewalStatement) -> TrueMoment? {
        guard let index = truth.firstIndex(where: { $0.contains(note.at) }) else { return nil }
        let interval = truth[index]
        let period = written.periods[interval.period]
        var accessUntil: Timestamp?
        if interval.state.isEntitled {
            var last = index
            while last + 1 < truth.count, truth[last + 1].state.isEntitled { last += 1 }
            accessUntil = truth[last].to
        }
        let isOther = note.willRenew && note.next != interval.productId
        return TrueMoment(
            at: note.at, state: interval.state, productId: interval.productId,
            willRenew: note.willRenew, nextProductId: isOther ? note.next : nil,
            accessUntil: accessUntil, phase: period.phase, price: period.price,
            currency: written.traits.currency,
            priceIncrease: note.priceIncrease.map {
                $0 == .customerHasNotResponded ? .pending : .accepted
            })
    }
}
