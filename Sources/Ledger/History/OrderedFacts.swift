import AppStore

/// A chain's facts in the order that reduction uses: `(signedDate, digest)`, undated ones
/// separated, exact repetitions dropped (`lifecycle.md` §2 rule 1). The rest of reduction names
/// facts by their index here. A class, because every reader of a history keeps a reference.
final class OrderedFacts: Sendable {
    /// Dated, in order.
    let facts: [Fact]
    /// `signedDate` of each fact, in an array of its own for fast search.
    let times: [Timestamp]
    /// Unusable and undated facts; they have no effect.
    let unusable: [Fact]
    /// Every renewal snapshot, oldest first.
    let renewals: [RenewalPoint]
    /// Trust of the other fact from which a fact's appAccountToken was taken.
    private let borrowedTokens: [Int: Trust]
    /// Receipts that state a different product type than a signed transaction, which takes
    /// precedence.
    let retyped: Set<Int>
    /// Facts whose appAccountToken differs from the previous token; nearly every fact repeats it.
    let changesOfToken: [Int]
    /// Whether the facts have more than one trust rank.
    let ranksDiffer: Bool
    /// Rejected purchases, stated only by a lower rank; no fact here states them any more.
    let setAside: [RejectedPurchase]
    /// The account tokens of rejected purchases.
    let setAsideTokens: [String]
    /// If the ranks differ, the starts of the periods that count, ascending.
    let periodStarts: [Timestamp]

    /// Orders and completes the facts of one chain and resolves their ranks.
    convenience init(_ unordered: [Fact], environment: Environment) {
        let (ordered, unusable) =
            OrderedFacts.isOrdered(unordered) ? (unordered, []) : OrderedFacts.ordered(unordered)
        let completed = CompletedSnapshots(ordered)
        let facts = completed.facts
        guard OrderedFacts.ranksDiffer(facts) else {
            self.init(facts, completed, unusable: unusable, ranks: nil)
            return
        }
        let all = OrderedFacts(facts, completed, unusable: unusable, ranks: nil)
        let ranks = LowerTrustRanks(all, environment: environment)
        let counted = ranks.ids.isEmpty ? facts : facts.map { OrderedFacts.without(ranks.ids, $0) }
        self.init(counted, completed, unusable: unusable, ranks: ranks)
    }

    /// - Parameter ranks: nil before the ranks are resolved.
    private init(
        _ facts: [Fact], _ completed: CompletedSnapshots, unusable: [Fact], ranks: LowerTrustRanks?
    ) {
        self.facts = facts
        borrowedTokens = completed.borrowedTokens
        retyped = completed.retyped
        self.unusable = unusable
        times = facts.map { $0.signedDate ?? Timestamp(milliseconds: 0) }
        ranksDiffer = OrderedFacts.ranksDiffer(facts)
        setAside = ranks?.setAside ?? []
        setAsideTokens = ranks?.tokens ?? []
        periodStarts = ranks?.starts ?? []
        renewals =
            ranksDiffer && ranks == nil ? [] : RenewalPoint.points(facts, starts: periodStarts)
        changesOfToken = OrderedFacts.changesOfToken(facts)
    }

    private static func ranksDiffer(_ facts: [Fact]) -> Bool {
        let first = facts.first?.trust
        return !facts.allSatisfy { $0.trust == first }
    }

    /// The fact, without its transaction if that was rejected.
    private static func without(_ ids: Set<TransactionId>, _ fact: Fact) -> Fact {
        guard let id = fact.statedTransaction?.transactionId, ids.contains(id) else { return fact }
        var rest = fact
        rest.transaction = nil
        return rest
    }

    /// The usable and the other facts, each in order and without repetitions.
    private static func ordered(_ unordered: [Fact]) -> (dated: [Fact], unusable: [Fact]) {
        var dated: [Fact] = []
        dated.reserveCapacity(unordered.count)
        var unusable: [Fact] = []
        for fact in unordered {
            if isUsable(fact) { dated.append(fact) } else { unusable.append(fact) }
        }
        dated.sort(by: precedes)
        unusable.sort(by: precedes)
        return (withoutRepetitions(dated), withoutRepetitions(unusable))
    }

    private static func isUsable(_ fact: Fact) -> Bool {
        fact.signedDate != nil && fact.flaw == nil
    }

    var indices: Range<Int> { facts.indices }

    subscript(index: Int) -> Fact {
        _read { yield facts[index] }
    }

    /// Trust of the statement of the fact's appAccountToken.
    func tokenTrust(_ index: Int) -> Trust {
        min(borrowedTokens[index] ?? .signed, facts[index].trust)
    }

    /// Indices of the facts signed in `[from, to)`; nil `to` is open.
    func signed(from: Timestamp, to: Timestamp?) -> Range<Int> {
        let lower = firstIndex(notBefore: from)
        let upper = to.map { firstIndex(notBefore: $0) } ?? facts.count
        return lower..<max(lower, upper)
    }

    private func firstIndex(notBefore time: Timestamp) -> Int {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A total order: ties of date and digest are broken by the other fields, never by arrival.
    private static func precedes(_ left: Fact, _ right: Fact) -> Bool {
        let (leftTime, rightTime) = (left.signedDate, right.signedDate)
        if leftTime != rightTime {
            guard let leftTime else { return true }
            return rightTime.map { leftTime < $0 } ?? false
        }
        if left.digest != right.digest { return left.digest < right.digest }
        if left.cause.kind != right.cause.kind {
            return left.cause.kind.rawValue < right.cause.kind.rawValue
        }
        if left.trust != right.trust { return left.trust < right.trust }
        return left.position < right.position
    }

    private static func withoutRepetitions(_ ordered: [Fact]) -> [Fact] {
        var kept: [Fact] = []
        kept.reserveCapacity(ordered.count)
        for fact in ordered {
            if let last = kept.last, saysTheSame(last, fact) { continue }
            kept.append(fact)
        }
        return kept
    }

    /// Whether the facts are already usable, in order and unique, as stored facts are.
    private static func isOrdered(_ facts: [Fact]) -> Bool {
        var index = 0
        while index < facts.count {
            guard isUsable(facts[index]) else { return false }
            if index > 0 {
                guard precedes(facts[index - 1], facts[index]),
                    !saysTheSame(facts[index - 1], facts[index])
                else { return false }
            }
            index += 1
        }
        return true
    }

    private static func changesOfToken(_ facts: [Fact]) -> [Int] {
        var changes: [Int] = []
        var last: String?
        for index in facts.indices {
            guard let token = facts[index].statedTransaction?.appAccountToken, token != last else {
                continue
            }
            last = token
            changes.append(index)
        }
        return changes
    }

    private static func saysTheSame(_ left: Fact, _ right: Fact) -> Bool {
        left.digest == right.digest && left.signedDate == right.signedDate
            && left.cause.kind == right.cause.kind && left.trust == right.trust
    }
}

/// A renewal snapshot at its own signedDate, or else its fact's.
struct RenewalPoint: Sendable {
    let signedDate: Timestamp
    let fact: Int

    /// The snapshots that count.
    ///
    /// - Parameter starts: the period starts, ascending; only needed if ranks differ.
    static func points(_ facts: [Fact], starts: [Timestamp]) -> [RenewalPoint] {
        let points = allPoints(facts)
        let first = points.first.map { facts[$0.fact].trust }
        guard points.contains(where: { facts[$0.fact].trust != first }) else { return points }
        return ranked(points, facts, starts: starts).filter { $0.ruling == nil }.map(\.point)
    }

    static func allPoints(_ facts: [Fact]) -> [RenewalPoint] {
        var points: [RenewalPoint] = []
        points.reserveCapacity(facts.count)
        var isOrdered = true
        for index in facts.indices {
            guard let renewal = facts[index].statedRenewal,
                let date = renewal.signedDate ?? facts[index].signedDate
            else { continue }
            if let last = points.last, date < last.signedDate { isOrdered = false }
            points.append(RenewalPoint(signedDate: date, fact: index))
        }
        if !isOrdered {
            points.sort { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        }
        return points
    }
}
