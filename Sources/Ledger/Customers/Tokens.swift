import AppStore

/// The customer named by a chain's appAccountToken, over valid time: the newest token of the
/// periods begun by then (`Lifecycle.md` §2, Attributes).
struct Tokens: Hashable, Sendable {
    /// In order of time; each holds until the next.
    private let holders: [Change]
    /// Every customer named in any snapshot, also of a renewal info, used or not.
    let named: [CustomerId]

    private struct Change: Hashable, Sendable {
        let from: Timestamp
        let holder: Holder
    }

    init(_ history: History) {
        named = Tokens.named(history.facts)
        guard !named.isEmpty else {
            holders = []
            return
        }
        var changes: [Change] = []
        for time in history.periods.map(\.countsFrom).sorted() {
            guard let fact = Tokens.fact(history, at: time),
                let token = history.facts[fact].statedTransaction?.appAccountToken
            else { continue }
            let customer = CustomerId(token: token)
            let trust = history.facts.tokenTrust(fact)
            // The same token at equal or lower trust changes nothing.
            if let last = changes.last?.holder, last.customer == customer,
                trust <= last.tokenTrust ?? .signed
            {
                continue
            }
            changes.append(
                Change(
                    from: time,
                    holder: Holder(
                        customer: customer, authority: .token,
                        cause: history.facts[fact].position,
                        tokenTrust: trust)))
            // No other customer is ever named.
            if named.count == 1, trust == .signed { break }
        }
        holders = changes
    }

    /// The best fact of the last period in order that counts from then or earlier and has a token,
    /// among the tokens of highest trust: a lower-trust token never replaces a higher-trust one.
    static func fact(_ history: History, at time: Timestamp) -> Int? {
        let stated = history.periods.lazy.filter { period in
            period.countsFrom <= time
                && history.facts[period.bestFact].statedTransaction?.appAccountToken != nil
        }.map(\.bestFact)
        guard history.facts.ranksDiffer else { return stated.last }
        return stated.reduce(nil) { (best: Int?, fact: Int) -> Int? in
            guard let best else { return fact }
            return history.facts.tokenTrust(fact) < history.facts.tokenTrust(best) ? best : fact
        }
    }

    private static func named(_ facts: OrderedFacts) -> [CustomerId] {
        let stated = facts.changesOfToken.compactMap { index in
            facts[index].statedTransaction?.appAccountToken.map { CustomerId(token: $0) }
        }
        // Includes tokens that later statements replaced, and those of facts that cannot be folded.
        var others =
            (facts.ranks?.rejectedTokens ?? [])
            + facts.unusable.compactMap { $0.transaction?.appAccountToken }
        for fact in [facts.facts, facts.unusable].joined() {
            // Nearly every renewal info has its transaction's.
            guard let token = fact.statedRenewal?.appAccountToken,
                token != fact.statedTransaction?.appAccountToken, token != others.last
            else { continue }
            others.append(token)
        }
        let all = stated + others.map { CustomerId(token: $0) }
        return all.count < 2 ? all : Set(all).sorted()
    }

    func holder(at time: Timestamp) -> Holder? { holders.last { $0.from <= time }?.holder }

    /// Passes the stretches of `[from, to)` to `body`; the holder is nil where no token is known
    /// yet.
    func each(
        from: Timestamp, to: Timestamp?, _ body: (Timestamp, Timestamp?, Holder?) -> Void
    ) {
        var cursor = from
        var holder = holder(at: from)
        for change in holders where change.from > from {
            if let to, change.from >= to { break }
            body(cursor, change.from, holder)
            (cursor, holder) = (change.from, change.holder)
        }
        body(cursor, to, holder)
    }
}
