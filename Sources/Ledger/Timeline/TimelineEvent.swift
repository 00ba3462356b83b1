import AppStore

/// Facts that change no state (`Lifecycle.md` §3). Raw values are part of the contract.
public enum TimelineEventName: String, Sendable, CaseIterable {
    case renewed
    case autoRenewDisabled
    case autoRenewEnabled
    case productChangeScheduled
    case productChangeCancelled
    case upgraded
    case downgraded
    case crossgraded
    case offerRedeemed
    case priceIncreasePending
    case priceIncreaseAccepted
    case refunded
    case refundDeclined
    case refundReversed
    case consumptionRequested
    case extended
    case accountLinked
    case accountUnlinked
    case noted
}

/// A fact in the life of a chain that changes no state.
public struct TimelineEvent: Hashable, Sendable {
    public var name: TimelineEventName
    /// Its signedDate (of a reversal or extension shown by a listed purchase, the purchase's); for
    /// `refunded` the revocationDate; for `renewed` and carried-out product changes purchaseDate.
    public var at: Timestamp
    public var productId: ProductId?
    public var transactionId: TransactionId?
    /// Position of the event that proves it.
    public var cause: Int64
    /// Position of the event that states what it changed, if any: the reversed refund, the previous
    /// product, the cancelled change; for `renewed`, of the DID_RENEW where no transactionReason is
    /// stated and another event stated the period first.
    public var secondCause: Int64?
    public var detail: Detail?
    /// Index of the fact of `cause`; nil for an operator's command.
    var fact: Int?
}

/// Computes the timeline events of a history.
struct TimelineEventReader {
    let history: History
    let catalogue: Catalogue
    private var found: [TimelineEvent] = []

    static func read(
        _ history: History, catalogue: Catalogue, commands: [Fact]
    ) -> [TimelineEvent] {
        var reader = TimelineEventReader(history: history, catalogue: catalogue)
        reader.readPeriods()
        reader.readRefunds()
        reader.readNotifications()
        reader.readRenewals()
        let found = reader.sorted()
        // Commands follow Apple's facts of the same moment.
        return found.merged(with: commands.compactMap { TimelineEvent(command: $0) }) { $0.at }
    }

    private init(history: History, catalogue: Catalogue) {
        self.history = history
        self.catalogue = catalogue
        found.reserveCapacity(history.facts.facts.count)
    }

    var facts: OrderedFacts { history.facts }

    mutating func add(
        _ name: TimelineEventName, at: Timestamp, fact: Int, also second: Int? = nil,
        transaction: TransactionId? = nil, product: ProductId? = nil,
        detail: TimelineEvent.Detail? = nil
    ) {
        let snapshot = facts[fact].statedTransaction
        found.append(
            TimelineEvent(
                name: name, at: at, productId: product ?? snapshot?.productId,
                transactionId: transaction ?? snapshot?.transactionId,
                cause: facts[fact].position, secondCause: second.map { facts[$0].position },
                detail: detail, fact: fact))
    }

    /// Sorts indices: sorting the events, whose ids are reference-counted, made folding a chain 5 %
    /// slower.
    private func sorted() -> [TimelineEvent] {
        found.indices.sorted { precedes(found[$0], found[$1]) }.map { found[$0] }
    }

    private func precedes(_ left: TimelineEvent, _ right: TimelineEvent) -> Bool {
        if left.at != right.at { return left.at < right.at }
        guard let one = left.fact, let two = right.fact else { return false }
        let (leftTime, rightTime) = (facts.times[one], facts.times[two])
        if leftTime != rightTime { return leftTime < rightTime }
        if one != two { return facts[one].digest < facts[two].digest }
        return left.name.rawValue < right.name.rawValue
    }

    /// The date of a fact's statement about its transaction. A purchase that a body lists may have
    /// its own (`Lifecycle.md` §7); other facts have the date of their envelope.
    private func time(of fact: Int) -> Timestamp {
        guard CompletedSnapshots.isPartial(facts[fact]) else { return facts.times[fact] }
        return facts[fact].statedTransaction?.signedDate ?? facts.times[fact]
    }

    // MARK: Periods

    private mutating func readPeriods() {
        guard !history.isOneTime else { return }
        let periods = history.periods
        var last: Int?
        for index in periods.indices {
            let best = facts[periods[index].bestFact].statedTransaction
            let firstFact = periods[index].firstFact
            if periods[index].isRenewal(facts) {
                let named = best?.transactionReason == nil ? periods[index].renewalFact : nil
                // One that was replaced before it began is listed with its replacement.
                let next = periods[(index + 1)...].first { !$0.isReplaced }
                let start = periods[index].start
                add(
                    .renewed, at: earlier(start, next?.start) ?? start, fact: firstFact,
                    also: named == firstFact ? nil : named,
                    transaction: periods[index].transactionId, product: best?.productId)
            }
            guard !periods[index].isReplaced else { continue }
            if let last { readProductChange(from: last, to: index) }
            last = index
        }
    }

    private mutating func readProductChange(from: Int, to: Int) {
        let (oldFact, newFact) = (history.periods[from].bestFact, history.periods[to].bestFact)
        guard let before = facts[oldFact].statedTransaction?.productId,
            let after = facts[newFact].statedTransaction?.productId, before != after
        else { return }
        let (old, new) = (history.periods[from], history.periods[to])
        guard isSameRun(old, new) else { return }
        let name = change(from: before, to: after, old, new)
        add(
            name, at: new.start, fact: new.firstFact, also: oldFact,
            transaction: new.transactionId, product: after,
            detail: .change(.init(from: before, to: after)))
    }

    /// Whether neither expired nor revoked time lies between two periods (`Lifecycle.md` §2,
    /// "run").
    private func isSameRun(_ old: Period, _ new: Period) -> Bool {
        if old.isUpgraded { return true }
        return history.stateBefore(new).map { $0 != .expired && $0 != .revoked }
            ?? (new.start < old.end)
    }

    /// The kind of change: from the catalogue's levels if it has both products, else from how Apple
    /// carried it out.
    private func change(
        from before: ProductId, to after: ProductId, _ old: Period, _ new: Period
    ) -> TimelineEventName {
        if let oldLevel = catalogue.products[before]?.level,
            let newLevel = catalogue.products[after]?.level
        {
            if newLevel == oldLevel { return .crossgraded }
            return newLevel < oldLevel ? .upgraded : .downgraded
        }
        if old.isUpgraded || new.start < old.end { return .upgraded }
        // In grace and billing retry a change may be immediate after the end.
        let isBought =
            facts.transactionReason(new.bestFact).map { $0 == .purchase }
            ?? (facts[new.firstFact].cause.subtype?.value == .upgrade)
        return isBought ? .upgraded : .downgraded
    }

    // MARK: Refunds

    private mutating func readRefunds() {
        var closers: Set<Int> = []
        // Reversals that other facts showed; the notification of each may follow.
        var unannounced: [TransactionId: [Timestamp]] = [:]
        let periods = history.periods
        for index in periods.indices where !periods[index].spans.isEmpty {
            var last: Timestamp?
            for span in periods[index].spans where span.isRefund {
                let refund = TimelineEvent.Detail.refund(history.refund(span, of: index))
                if span.from != last {
                    add(
                        .refunded, at: span.from, fact: span.opener,
                        transaction: periods[index].transactionId, detail: refund)
                    last = span.from
                }
                guard let closer = span.closer, let closed = span.to,
                    let id = facts[span.opener].statedTransaction?.transactionId
                else { continue }
                let isOfCopy = facts[closer].statedTransaction?.transactionId != id
                if isOfCopy || !isReversal(closer) { unannounced[id, default: []].append(closed) }
                // It may have ended the refund of several copies.
                guard closers.insert(closer).inserted else { continue }
                add(
                    .refundReversed, at: time(of: closer), fact: closer, also: span.opener,
                    transaction: periods[index].transactionId, detail: refund)
            }
        }
        for index in facts.indices where isReversal(index) && !closers.contains(index) {
            // The refund was lost, unless another fact already showed this reversal.
            if let id = facts[index].statedTransaction?.transactionId,
                let shown = unannounced[id]?.firstIndex(where: { $0 <= facts.times[index] })
            {
                unannounced[id]?.remove(at: shown)
                continue
            }
            add(.refundReversed, at: facts.times[index], fact: index)
        }
    }

    private func isReversal(_ fact: Int) -> Bool {
        facts[fact].cause.notificationType?.value == .refundReversed
    }

    // MARK: Notifications

    private mutating func readNotifications() {
        for index in facts.indices {
            let name: TimelineEventName
            switch facts[index].cause.notificationType?.value {
            case .refundDeclined: name = .refundDeclined
            case .consumptionRequest: name = .consumptionRequested
            case .offerRedeemed: name = .offerRedeemed
            case .renewalExtended: name = .extended
            default: continue
            }
            add(name, at: facts.times[index], fact: index)
        }
        readSilentExtensions()
    }

    /// An extension visible only as a later end of the same transaction; copies state it again.
    private mutating func readSilentExtensions() {
        guard !history.isOneTime else { return }
        for period in history.periods {
            let later = period.records.flatMap { laterEnds(history.records[$0]) }
                .sorted { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
            guard !later.isEmpty, !period.records.contains(where: wasAnnounced) else { continue }
            var known: Timestamp?
            for statement in later {
                guard let end = statement.expiresDate, known.map({ $0 < end }) ?? true else {
                    continue
                }
                add(.extended, at: time(of: statement.fact), fact: statement.fact)
                known = end
            }
        }
    }

    private func wasAnnounced(_ record: Int) -> Bool {
        history.records[record].statements.contains {
            facts[$0.fact].cause.notificationType?.value == .renewalExtended
        }
    }

    /// The statements of a transaction that state a later end than those before.
    private func laterEnds(_ record: TransactionRecord) -> [Statement] {
        guard record.statements.count > 1 else { return [] }
        var later: [Statement] = []
        var end: Timestamp?
        var last: Timestamp?
        for statement in record.statements {
            guard let stated = statement.expiresDate else { continue }
            // Two ends at one date contradict each other; only a later statement extends.
            if let end, stated > end, last != statement.signedDate { later.append(statement) }
            end = max(end ?? stated, stated)
            last = statement.signedDate
        }
        return later
    }
}
