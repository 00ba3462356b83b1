import AppStore

/// A purchase that does not renew (`Lifecycle.md` §5): all its transactions are one purchase, owned
/// until revoked or, if non-renewing, for the catalogue's duration.
struct OneTimePurchase {
    let period: Period
    let segments: [Segment]

    /// Nil if the chain has no one-time transaction.
    init?(_ records: [TransactionRecord], _ facts: OrderedFacts, _ catalogue: Catalogue) {
        var statements: [Statement] = []
        for record in records {
            guard let best = facts[record.bestFact].statedTransaction,
                let type = catalogue.type(of: best), type != .autoRenewableSubscription
            else { continue }
            statements += record.statements
        }
        guard !statements.isEmpty else { return nil }
        statements.sort(by: Statement.isWorse)
        let trusted = statements[statements.count - 1].trust
        statements.removeAll { $0.trust != trusted }
        let dates = statements.compactMap { facts[$0.fact].statedTransaction?.purchaseDate }
        guard let start = dates.min(),
            let best = facts[statements[statements.count - 1].fact].statedTransaction
        else { return nil }
        let whole = TransactionRecord(best.transactionId, statements[...], facts)
        let lapse = OneTimePurchase.lapse(best, start, catalogue)
        period = Period(
            purchase: whole, start: start, end: lapse ?? Timestamp(milliseconds: .max))
        let state: ChainState = catalogue.type(of: best) == .consumable ? .consumed : .owned
        let proof = Proof(whole.firstFact)
        var segments = [Segment(state: state, from: start, to: lapse, proof: proof)]
        if let lapse {
            segments.append(Segment(state: .lapsed, from: lapse, to: nil, proof: proof))
        }
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
