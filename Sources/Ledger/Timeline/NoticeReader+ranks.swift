import AppStore

extension NoticeReader {
    /// Statements of receipts and bodies that contradict more trusted ones (`Lifecycle.md` §4):
    /// they have no effect, but one of the sources is wrong.
    mutating func readRankContradictions() {
        guard facts.indices.contains(where: { CompletedSnapshots.isPartial(facts[$0]) }) else {
            return
        }
        readPurchaseContradictions()
        guard facts.ranksDiffer else { return }
        readRenewalContradictions()
        readRejectedPurchases()
        readLowerRefunds()
        readLowerFailures()
    }

    /// Compares a receipt's purchase with the signed transactions of the same id. Fields that Apple
    /// never changes must agree with at least one of them: the product, the purchase date and the
    /// end.
    private mutating func readPurchaseContradictions() {
        var whole: [TransactionId: [Int]] = [:]
        let top = facts.indices.map { facts[$0].trust }.max()
        for index in facts.indices
        where !CompletedSnapshots.isPartial(facts[index]) || facts[index].trust == top {
            guard let id = facts[index].statedTransaction?.transactionId else { continue }
            if whole[id, default: []].count < NoticeReader.comparedStatements {
                whole[id, default: []].append(index)
            }
        }
        var reported: Set<TransactionId> = []
        var records: [TransactionId: TransactionRecord] = [:]
        for record in history.records { records[record.transactionId] = record }
        for index in facts.indices where CompletedSnapshots.isPartial(facts[index]) {
            guard let stated = facts[index].statedTransaction,
                let others = whole[stated.transactionId]?.filter({ $0 != index }),
                let first = others.first
            else { continue }
            let signed = others.compactMap { facts[$0].statedTransaction }
            var names: [String] = []
            func check<Value: Equatable>(_ name: String, _ value: Value?, _ known: [Value?]) {
                guard let value, known.contains(where: { $0 != nil }) else { return }
                if !known.contains(value) { names.append(name) }
            }
            check("productId", stated.productId, signed.map(\.productId))
            check(
                "purchaseDate", stated.purchaseDate?.wholeSeconds,
                signed.map { $0.purchaseDate?.wholeSeconds })
            if !isExtendedSince(stated.expiresDate, index, records[stated.transactionId]) {
                check(
                    "expiresDate", stated.expiresDate?.wholeSeconds,
                    signed.map { $0.expiresDate?.wholeSeconds })
            }
            if facts.retyped.contains(index) { names.append("type") }
            guard !names.isEmpty, reported.insert(stated.transactionId).inserted else { continue }
            add(
                .contradiction, from: facts.times[index], facts: [first, index],
                about: stretch(of: stated.transactionId),
                "\(source(of: index)) states a different \(names.joined(separator: ", ")) for"
                    + " transaction \(stated.transactionId) than a more trusted source.")
        }
    }

    /// Whether a more trusted source stated a later end after a fact had stated this one.
    private func isExtendedSince(
        _ end: Timestamp?, _ index: Int, _ record: TransactionRecord?
    ) -> Bool {
        guard let end, let record, let longest = record.statedEnd, end < longest,
            let stated = Statement(index, in: facts),
            let later = Statement(record.endFact, in: facts)
        else { return false }
        return later.signedDate > stated.signedDate
    }

    /// A renewal info that did not count because a higher rank had made a statement in its period,
    /// and that no higher rank confirms later.
    private mutating func readRenewalContradictions() {
        for ranked in facts.ranks?.renewals ?? [] {
            guard let ruling = ranked.ruling else { continue }
            let (stated, ruled) = (facts[ranked.point.fact], facts[ruling.fact])
            let later = facts.allRenewals.first { other in
                facts[other.fact].trust > stated.trust
                    && other.signedDate > ranked.point.signedDate
            }
            let isConfirmed = later.map { states(facts[$0.fact], as: stated) } ?? false
            guard !states(ruled, as: stated), !isConfirmed else { continue }
            add(
                .contradiction, from: ranked.point.signedDate,
                facts: [ruling.fact, ranked.point.fact],
                "A less trusted source states a different auto-renew status; the more trusted one"
                    + " applies.")
        }
    }

    private func states(_ left: Fact, as right: Fact) -> Bool {
        guard let one = left.statedRenewal, let two = right.statedRenewal else { return true }
        // A lower rank does not state a commitment, whose end may decide the status.
        let isOfCommitment = [one, two].contains { $0.commitmentWillRenew == false }
        if let status = one.autoRenewStatus, let other = two.autoRenewStatus, status != other,
            !isOfCommitment
        {
            return false
        }
        guard let product = one.autoRenewProductId, let other = two.autoRenewProductId else {
            return true
        }
        return product == other
    }
}
