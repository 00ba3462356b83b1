import AppStore
import Ledger

/// A plain implementation of what copies of one purchase are (`Lifecycle.md` §2 rules 2 and 3).
extension PlainReading {
    /// - Parameter higher: late copies of a higher rank, which state the revocations.
    static func grouped(_ transactions: [Period], _ higher: [Period] = []) -> [Period] {
        var rest = transactions
        var result: [Period] = []
        while let first = rest.popLast() {
            var group = [first]
            while let index = rest.firstIndex(where: { other in
                group.contains { overlap($0, other) }
            }) {
                group.append(rest.remove(at: index))
            }
            // Statements of another rank than the highest that dates the purchase are ignored,
            // under any id, and do not join separate periods.
            let dated = group.filter { !isLate($0) }
            let trust = (dated.isEmpty ? group : dated).map(\.best.fact.trust).max()!
            let kept = group.filter { $0.best.fact.trust == trust }
            guard kept.count == group.count else {
                let top = group.map(\.best.fact.trust).max()!
                let higher = top == trust ? [] : group.filter { $0.best.fact.trust == top }
                result += grouped(kept, higher)
                continue
            }
            let late = higher.filter { copy in group.contains { overlap(copy, $0) } }
            let copies = reversed(withoutRepetitions(group)) + reversed(withoutRepetitions(late))
            for purchase in purchases(copies) {
                let own = purchase.filter { $0.best.fact.trust == trust }
                guard !own.isEmpty else { continue }
                var period = joined(own)
                let revoked = purchase.filter { $0.best.fact.trust != trust }
                if !revoked.isEmpty {
                    period.spans = revoked.flatMap(\.spans)
                    period.ownSpans = revoked.flatMap(\.ownSpans)
                }
                result.append(period)
            }
        }
        return result
    }

    private static func joined(_ copies: [Period]) -> Period {
        var whole = copies.max(by: isWorseCopy)!
        // Receipts write whole seconds.
        let earliest = copies.min { $0.start < $1.start }!
        let from = earliest.start.milliseconds
        let isCoarse = earliest.isOfReceipts && from % 1_000 == 0
        if !isCoarse || whole.start.milliseconds - from >= 1_000 {
            whole.start = earliest.start
        }
        whole.statedEnd = copies.map(\.statedEnd).max()!
        whole.end = max(whole.start, whole.statedEnd)
        let first = copies.filter { seconds($0.start) == seconds(earliest.start) }
        whole.id = first.map(\.id).min {
            ($0.rawValue.utf8.count, $0) < ($1.rawValue.utf8.count, $1)
        }!
        whole.spans = copies.flatMap(\.spans)
        whole.ownSpans = copies.flatMap(\.ownSpans)
        whole.isUpgraded = copies.contains(where: \.isUpgraded)
        whole.firstStated = copies.map(\.firstStated).min()!
        whole.countsFrom = whole.start
        whole.statements = copies.flatMap(\.statements)
        whole.ids = copies.flatMap(\.ids)
        return whole
    }

    /// Of the copies of a purchase, one with a signed transaction is better, then one with a token.
    private static func isWorseCopy(_ left: Period, _ right: Period) -> Bool {
        if left.isOfReceipts != right.isOfReceipts { return left.isOfReceipts }
        let (one, two) = (left.best.transaction, right.best.transaction)
        if left.isOfReceipts, (one.appAccountToken == nil) != (two.appAccountToken == nil) {
            return one.appAccountToken == nil
        }
        return isWorse(left.best, right.best)
    }

    // MARK: Overlap

    private static func overlap(_ left: Period, _ right: Period) -> Bool {
        let (one, two) = (left.best.transaction, right.best.transaction)
        guard let line = one.webOrderLineItemId, line == two.webOrderLineItemId,
            line.rawValue != "0"
        else { return false }
        return bought(left) < restoredEnd(right) && bought(right) < restoredEnd(left)
    }

    /// What a copy restores: its newest end, or that of an extension.
    private static func restoredEnd(_ copy: Period) -> Timestamp {
        let extended = copy.statements.filter { snapshot in
            snapshot.fact.cause.notificationType?.value == .renewalExtended
        }.compactMap(\.fact.renewal?.renewalDate)
        return (extended + [copy.best.transaction.expiresDate!]).max()!
    }

    private static func isLate(_ copy: Period) -> Bool {
        copy.best.transaction.purchaseDate! >= restoredEnd(copy)
    }

    /// A copy restored after the end counts from the second before it.
    private static func bought(_ copy: Period) -> Timestamp {
        isLate(copy)
            ? Timestamp(milliseconds: restoredEnd(copy).milliseconds - 1_000)
            : copy.best.transaction.purchaseDate!
    }

    // MARK: Revocations

    private static func seconds(_ time: Timestamp) -> Int64 { time.milliseconds / 1_000 }

    /// Without the revocations that receipts alone state of a copy, where another one has one of
    /// the same second: by a signed transaction, or of a better copy.
    private static func withoutRepetitions(_ group: [Period]) -> [Period] {
        let copies = group.sorted(by: isWorseCopy)
        return copies.enumerated().map { place, copy in
            var rest = copy
            rest.spans.removeAll { span in
                guard !copy.isSigned(span) else { return false }
                return copies.indices.contains { other in
                    other != place
                        && copies[other].spans.contains { known in
                            seconds(known.from) == seconds(span.from)
                                && (other > place || copies[other].isSigned(known))
                        }
                }
            }
            return rest
        }
    }

    /// The reversal of a revocation ends that of each copy, unless it is stated after that.
    private static func reversed(_ copies: [Period]) -> [Period] {
        let spans = copies.flatMap(\.spans)
        return copies.map { copy in
            var copy = copy
            for index in copy.spans.indices {
                let span = copy.spans[index]
                let same = spans.filter { seconds($0.from) == seconds(span.from) }
                let others = same.compactMap(\.to).filter { $0 > span.last && $0 > span.from }
                copy.spans[index].to = (others + [span.to].compactMap(\.self)).min()
            }
            return copy
        }
    }

    // MARK: Purchases

    /// What is bought while a copy is revoked is the next purchase.
    private static func purchases(_ copies: [Period]) -> [[Period]] {
        var purchases: [[Period]] = []
        for date in Set(copies.map(boughtBy)).sorted() {
            let found = copies.filter { boughtBy($0) == date }
            let isNext =
                found.contains { givesAccess($0) }
                && purchases.last?.contains { isRevoked($0, when: date) } ?? false
            if isNext || purchases.isEmpty { purchases.append([]) }
            purchases[purchases.count - 1] += found
        }
        return purchases
    }

    /// A copy is of a purchase made before its revocation.
    private static func boughtBy(_ copy: Period) -> Timestamp {
        (copy.spans.map(\.from) + [bought(copy)]).min()!
    }

    private static func givesAccess(_ copy: Period) -> Bool {
        let bought = copy.best.transaction.purchaseDate!
        let dates = copy.statements.compactMap(\.transaction.revocationDate)
        return !isLate(copy) && dates.allSatisfy { bought < $0 }
    }

    /// Whether a copy is revoked at a purchase, or was by what was stated of it until then.
    private static func isRevoked(_ copy: Period, when date: Timestamp) -> Bool {
        if copy.spans.contains(where: { $0.from < date && $0.to.map { date < $0 } ?? true }) {
            return true
        }
        guard let newest = copy.statements.last(where: { $0.signedDate <= date }),
            let from = newest.revocation, from < date
        else { return false }
        let isReversed = copy.spans.contains { span in
            guard span.from == from, let to = span.to else { return false }
            return newest.signedDate < to && to <= date
        }
        return !copy.spans.isEmpty && !isReversed
    }
}

extension PlainReading.Period {
    /// Whether no signed transaction states it.
    var isOfReceipts: Bool { statements.allSatisfy(\.fact.cause.kind.mayNameSeveralChains) }

    /// Whether a signed transaction states this revocation.
    func isSigned(_ span: PlainReading.Span) -> Bool {
        statements.contains { statement in
            !statement.fact.cause.kind.mayNameSeveralChains
                && statement.transaction.revocationDate == span.from
        }
    }
}
