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
        return groups(copies, records, facts).compactMap { group in
            let period = Period(purchase: group, records, facts)
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

    /// The transactions of each purchase: those of a chain, in the order of their purchaseDates, up
    /// to one that is bought after the revocation of another.
    private static func groups(
        _ copies: [Int], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) -> [ArraySlice<Int>] {
        func bought(_ fact: Int) -> Timestamp {
            facts[fact].statedTransaction?.purchaseDate ?? Timestamp(milliseconds: .min)
        }
        let order = copies.sorted { left, right in
            let (one, two) = (records[left], records[right])
            return (bought(one.bestFact), one.firstFact) < (bought(two.bestFact), two.firstFact)
        }
        // Whether it was revoked at a later purchase: as it is known now, or was stated then.
        func isRevoked(_ record: TransactionRecord, at date: Timestamp) -> Bool {
            guard !record.spans.isEmpty, bought(record.bestFact) < date else { return false }
            let known = record.statements.last { $0.signedDate <= date }
            return record.spans.contains { $0.from < date && $0.to.map { $0 > date } ?? true }
                || known?.revocationDate.map { $0 < date } ?? false
        }
        var groups: [ArraySlice<Int>] = []
        var first = order.startIndex
        for place in order.indices {
            let date = bought(records[order[place]].bestFact)
            if order[first..<place].contains(where: { isRevoked(records[$0], at: date) }) {
                groups.append(order[first..<place])
                first = place
            }
        }
        if first < order.endIndex { groups.append(order[first...]) }
        return groups
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
