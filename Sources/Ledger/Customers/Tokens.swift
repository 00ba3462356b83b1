import AppStore

/// Whom a chain's appAccountToken names, over valid time: the newest one of the periods begun by
/// then (`lifecycle.md` §2, Attributes).
struct Tokens: Hashable, Sendable {
    /// In order of time; each holds until the next.
    private let holders: [Change]
    /// Whom any snapshot names, used or not.
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
        for time in Set(history.periods.map(\.countsFrom)).sorted() {
            guard let period = Tokens.period(history, at: time),
                let token = history.facts[period.bestFact].statedTransaction?.appAccountToken
            else { continue }
            let customer = CustomerId(token: token)
            if changes.last?.holder.customer == customer { continue }
            changes.append(
                Change(
                    from: time,
                    holder: Holder(
                        customer: customer, authority: .token,
                        cause: history.facts[period.bestFact].position)))
        }
        holders = changes
    }

    /// The last period in order that counts from then or earlier and has a token.
    private static func period(_ history: History, at time: Timestamp) -> Period? {
        history.periods.last { period in
            period.countsFrom <= time
                && history.facts[period.bestFact].statedTransaction?.appAccountToken != nil
        }
    }

    private static func named(_ facts: OrderedFacts) -> [CustomerId] {
        var seen: Set<String> = []
        var last: String?
        for index in facts.indices {
            guard let token = facts[index].statedTransaction?.appAccountToken, token != last else {
                continue
            }
            last = token
            seen.insert(token)
        }
        return Set(seen.map { CustomerId(token: $0) }).sorted()
    }

    func holder(at time: Timestamp) -> Holder? { holders.last { $0.from <= time }?.holder }

    /// Hands out the stretches of `[from, to)`, from nil where no token is known yet.
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
