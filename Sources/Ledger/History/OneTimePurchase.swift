import AppStore

/// A purchase that does not renew (`Lifecycle.md` §5): owned until revoked or, if non-renewing, for
/// the catalogue's duration.
struct OneTimePurchase {
    let period: Period
    let segments: [Segment]

    /// The purchases of a chain, in order; empty if it has no one-time transaction.
    static func purchases(
        _ records: [TransactionRecord], _ facts: OrderedFacts, _ catalogue: Catalogue
    ) -> [OneTimePurchase] {
        var copies = records.indices.filter { index in
            guard let best = facts[records[index].bestFact].statedTransaction,
                let type = catalogue.type(of: best)
            else { return false }
            return type != .autoRenewableSubscription
        }
        let trusted = copies.map { records[$0].best.trust }.max()
        copies.removeAll { records[$0].best.trust != trusted }
        var records = records
        TransactionRecord.joinRevocations(of: copies, &records, facts)
        return TransactionRecord.purchases(copies[...], records, facts).compactMap { purchase in
            let period = Period(purchase: purchase, records, facts)
            return facts[period.bestFact].statedTransaction.map { best in
                OneTimePurchase(period, best, catalogue)
            }
        }
    }

    /// Its state at a moment, apart from revocations; nil before it began.
    func segment(at time: Timestamp) -> Segment? { segments.last { $0.from <= time } }

    /// Whether it is neither revoked nor lapsed.
    func isInForce(at time: Timestamp) -> Bool {
        segment(at: time).map { $0.state != .lapsed } ?? false && !period.isRevoked(at: time)
    }

    /// When its state may change.
    var times: [Timestamp] {
        segments.map(\.from) + period.spans.flatMap { [$0.from, $0.to] }.compactMap(\.self)
    }

    private init(
        _ stated: Period, _ best: Shared<TransactionSnapshot>, _ catalogue: Catalogue
    ) {
        let state: ChainState = catalogue.type(of: best) == .consumable ? .consumed : .owned
        let lapse = OneTimePurchase.lapse(best, stated.start, catalogue)
        let proof = Proof(stated.firstFact)
        var period = stated
        var segments = [Segment(state: state, from: stated.start, to: lapse, proof: proof)]
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
