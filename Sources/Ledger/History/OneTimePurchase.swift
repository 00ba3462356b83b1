import AppStore

/// A purchase that does not renew (`Lifecycle.md` §5): all its transactions are one purchase, owned
/// until revoked or, if non-renewing, for the catalogue's duration.
struct OneTimePurchase {
    let period: Period
    let segments: [Segment]

    /// Nil if the chain has no one-time transaction.
    init?(_ records: [TransactionRecord], _ facts: OrderedFacts, _ catalogue: Catalogue) {
        var copies = records.indices.filter { index in
            guard let best = facts[records[index].bestFact].statedTransaction,
                let type = catalogue.type(of: best)
            else { return false }
            return type != .autoRenewableSubscription
        }
        let trusted = copies.map { records[$0].best.trust }.max()
        copies.removeAll { records[$0].best.trust != trusted }
        guard !copies.isEmpty else { return nil }
        var period = Period(purchase: copies[...], records, facts)
        guard let best = facts[period.bestFact].statedTransaction else { return nil }
        let state: ChainState = catalogue.type(of: best) == .consumable ? .consumed : .owned
        let lapse = OneTimePurchase.lapse(best, period.start, catalogue)
        let proof = Proof(period.firstFact)
        var segments = [Segment(state: state, from: period.start, to: lapse, proof: proof)]
        if let lapse {
            period.end = lapse
            segments.append(Segment(state: .lapsed, from: lapse, to: nil, proof: proof))
        }
        self.period = period
        self.segments = segments
    }

    /// End of a non-renewing subscription; nil if it has none or the catalogue gives no duration.
    private static func lapse(
        _ best: Shared<TransactionSnapshot>, _ start: Timestamp, _ catalogue: Catalogue
    ) -> Timestamp? {
        guard catalogue.type(of: best) == .nonRenewingSubscription, let product = best.productId
        else {
            return nil
        }
        return catalogue.products[product]?.duration?.adding(to: start)
    }
}
