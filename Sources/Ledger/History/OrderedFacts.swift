import AppStore

/// A chain's facts in the order that reduction uses: `(signedDate, digest)`, undated ones
/// separated, exact repetitions dropped (`Lifecycle.md` §2 rule 1), trust ranks resolved. The rest
/// of reduction names facts by their index here. A class, because every reader of a history keeps
/// a reference.
final class OrderedFacts: Sendable {
    let environment: Environment
    /// Dated, in order. Without the transactions of rejected purchases.
    let facts: [Fact]
    /// `signedDate` of each fact, in a separate array for fast search.
    let times: [Timestamp]
    /// Unusable and undated facts, commands and erasures among them: no effect on the history.
    let unusable: [Fact]
    /// Every renewal snapshot, oldest first.
    let allRenewals: [RenewalPoint]
    /// The renewal snapshots that count.
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
    /// What the ranks exclude; nil if there is one rank.
    let ranks: TrustRanks?

    /// Orders and completes the facts of one chain and resolves their ranks.
    static func ordered(_ unordered: [Fact], environment: Environment) -> OrderedFacts {
        let (ordered, unusable) =
            isOrdered(unordered) ? (unordered, []) : separated(unordered)
        let completed = CompletedSnapshots(ordered)
        let all = OrderedFacts(
            completed.facts, completed, unusable, environment, ranks: nil)
        guard all.ranksDiffer else { return all }
        var ranks = TrustRanks(all, after: nil)
        var known = 0
        // Purchases that were ignored because of a rejected one are judged by the next pass.
        while ranks.rejected.count > known {
            known = ranks.rejected.count
            let rest = OrderedFacts(ranks.counted, completed, unusable, environment, ranks: nil)
            ranks = TrustRanks(rest, after: ranks)
        }
        return OrderedFacts(ranks.counted, completed, unusable, environment, ranks: ranks)
    }

    private init(
        _ facts: [Fact], _ completed: CompletedSnapshots, _ unusable: [Fact],
        _ environment: Environment, ranks: TrustRanks?
    ) {
        self.environment = environment
        self.facts = facts
        self.unusable = unusable
        self.ranks = ranks
        borrowedTokens = completed.borrowedTokens
        retyped = completed.retyped
        times = facts.map { $0.signedDate ?? Timestamp(milliseconds: 0) }
        let first = facts.first?.trust
        ranksDiffer = !facts.allSatisfy { $0.trust == first }
        allRenewals = ranks?.renewals.map(\.point) ?? RenewalPoint.points(facts)
        renewals = ranks?.renewals.filter { $0.ruling == nil }.map(\.point) ?? allRenewals
        changesOfToken = OrderedFacts.changesOfToken(facts)
    }

    /// Why a fact's transaction was made.
    func transactionReason(_ index: Int) -> TransactionReason? {
        facts[index].statedTransaction?.transactionReason?.value
    }

    /// The facts of this rank and higher ones, as if nothing else were known.
    func trusted(from rank: Trust) -> OrderedFacts {
        OrderedFacts.ordered(facts.filter { $0.trust >= rank }, environment: environment)
    }

    /// The facts of DID_RENEW/BILLING_RECOVERY, with the transaction each carries.
    var recoveries: [(fact: Int, id: TransactionId)] {
        indices.compactMap { index in
            guard facts[index].cause.notificationType?.value == .didRenew,
                facts[index].cause.subtype?.value == .billingRecovery,
                let id = facts[index].statedTransaction?.transactionId
            else { return nil }
            return (index, id)
        }
    }

    /// The usable and the other facts, each in order and without repetitions.
    private static func separated(_ unordered: [Fact]) -> (dated: [Fact], unusable: [Fact]) {
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
        times.indices.partitioningIndex { times[$0] >= time }
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
            if let last = kept.last, statesTheSame(last, fact) { continue }
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
                    !statesTheSame(facts[index - 1], facts[index])
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

    private static func statesTheSame(_ left: Fact, _ right: Fact) -> Bool {
        left.digest == right.digest && left.signedDate == right.signedDate
            && left.cause.kind == right.cause.kind && left.trust == right.trust
    }
}

/// A renewal snapshot at its own signedDate, or else its fact's.
struct RenewalPoint: Sendable {
    let signedDate: Timestamp
    let fact: Int

    /// Every renewal snapshot, oldest first.
    static func points(_ facts: [Fact]) -> [RenewalPoint] {
        var points: [RenewalPoint] = []
        points.reserveCapacity(facts.count)
        for index in facts.indices {
            guard let renewal = facts[index].statedRenewal,
                let date = renewal.signedDate ?? facts[index].signedDate
            else { continue }
            points.append(RenewalPoint(signedDate: date, fact: index))
        }
        points.sort { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        return points
    }
}
