import AppStore

/// One paid or free period of a subscription: a transaction, or several that are one restored
/// purchase (`Lifecycle.md` §2 rules 2 and 4).
struct Period: Sendable {
    /// Indices into the chain's transaction records, the best one last.
    let records: ArraySlice<Int>
    /// Late copies of a higher rank, which decide about its revocations (rule 2); mostly none.
    let late: ArraySlice<Int>
    /// The fact whose snapshot supplies every attribute.
    let bestFact: Int
    /// The transaction with the smallest purchaseDate, so that a later copy does not change it.
    let transactionId: TransactionId
    /// `purchaseDate`, the smallest over restores.
    let start: Timestamp
    /// E: the largest end ever stated; never before `start`. Of a one-time purchase the end of the
    /// catalogue's duration.
    var end: Timestamp
    /// The largest end ever stated, which may precede `start`.
    let statedEnd: Timestamp
    /// The fact that first stated `end`.
    private(set) var endFact: Int
    private(set) var isUpgraded: Bool
    let firstStated: Timestamp
    let firstFact: Int
    /// The first fact, of any rank, that reports one of its transactions as renewed: DID_RENEW.
    let renewalFact: Int?
    private(set) var spans: [RevocationSpan]
    /// When the period starts to govern: `start`, unless moved by rule 4 (replaced before it began;
    /// history starts at a signedDate) or rule 5 (anchor kept).
    var countsFrom: Timestamp
    /// Whether it was replaced before it began, and governs nothing (rule 4).
    var isReplaced = false

    /// The window before E in which facts already concern the time after E (rule 5).
    var leadMilliseconds: Int64 {
        min(Period.maximumLeadMilliseconds, max(0, end.milliseconds(since: start)) / 2)
    }

    static let maximumLeadMilliseconds: Int64 = 24 * 3_600_000

    /// Its `start`, or that of its replacement.
    var begins: Timestamp { isReplaced ? countsFrom : start }

    /// The transactions that state its revocations.
    var revoking: ArraySlice<Int> { late.isEmpty ? records : late }

    /// The revocation that contains a moment (rule 3); nil if the period is not revoked then.
    func revocation(at time: Timestamp) -> RevocationSpan? {
        spans.first { $0.contains(time) && revokedFrom($0) <= time }
    }

    /// From when a revocation counts. A refund made before the period begins counts from there,
    /// also where the history starts earlier with the period; the revocation of a copy at once.
    func revokedFrom(_ span: RevocationSpan) -> Timestamp {
        span.isRefund ? max(span.from, start) : span.from
    }

    func isRevoked(at time: Timestamp) -> Bool { revocation(at: time) != nil }

    /// Payloads before 2023-06 have no transactionReason; a DID_RENEW is equivalent. It need not be
    /// the first or most trusted statement: those that lack the field do not deny a renewal.
    func isRenewal(_ facts: OrderedFacts) -> Bool {
        guard let reason = facts[bestFact].statedTransaction?.transactionReason else {
            return renewalFact != nil
        }
        return reason.value == .renewal
    }

    func contains(transaction id: TransactionId, in all: [TransactionRecord]) -> Bool {
        records.contains { all[$0].transactionId == id }
    }
}

extension Period {
    /// The periods of a chain that count, in order.
    static func periods(of records: [TransactionRecord], _ facts: OrderedFacts) -> [Period] {
        var periods = stated(records, facts)
        order(&periods, records, facts)
        return periods
    }

    /// The periods of a chain without unknown copies, in no order. Only auto-renewable transactions
    /// make periods.
    static func stated(_ records: [TransactionRecord], _ facts: OrderedFacts) -> [Period] {
        let groups = groups(records.indices, records, facts)
        var joined = records
        var periods: [Period] = []
        periods.reserveCapacity(groups.count)
        for group in groups {
            let copies = group.late.isEmpty ? group.records : group.records + group.late
            guard copies.count > 1 else {
                periods.append(Period(group, joined, facts))
                continue
            }
            var rest = group
            TransactionRecord.joinRevocations(of: group.records, &joined, facts)
            TransactionRecord.joinRevocations(of: group.late, &joined, facts)
            let trust = group.records.first.map { records[$0].best.trust }
            for purchase in TransactionRecord.purchases(copies, joined, facts) {
                let own = purchase.filter { records[$0].best.trust == trust }
                guard !own.isEmpty else { continue }
                let late = purchase.filter { records[$0].best.trust != trust }
                (rest.records, rest.late) = (own[...], late[...])
                periods.append(Period(rest, joined, facts))
                // It is about the first of them.
                rest.renewalFact = nil
            }
        }
        removeUnknownCopies(&periods, records, facts)
        return periods
    }

    /// Removes the empty periods that end no later than one with a duration that begins no later:
    /// copies, dated when they were restored, of purchases that are not known (rule 4).
    private static func removeUnknownCopies(
        _ periods: inout [Period], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) {
        guard periods.contains(where: { $0.statedEnd <= $0.start }) else { return }
        // Those with a duration first: ids do not decide which of one restore count.
        periods.sort { ($0.start, $1.statedEnd) < ($1.start, $0.statedEnd) }
        var reach = Timestamp(milliseconds: .min)
        periods.removeAll { period in
            guard period.statedEnd <= period.start else {
                reach = max(reach, period.statedEnd)
                return false
            }
            return period.statedEnd <= reach && !period.isOriginal(records, facts)
        }
    }

    /// Whether it is no copy: the first purchase of the chain, or stated by a SUBSCRIBED or
    /// DID_RENEW, which Apple does not send for copies. Those of version 1 do not count: a body
    /// does not say which of its transactions it is about.
    private func isOriginal(_ all: [TransactionRecord], _ facts: OrderedFacts) -> Bool {
        let first = facts[bestFact].statedTransaction?.originalTransactionId
        if records.contains(where: { all[$0].transactionId.asOriginal == first }) { return true }
        return records.lazy.flatMap { all[$0].statements }.contains { statement in
            let fact = facts[statement.fact]
            let type = fact.cause.notificationType?.value
            return !CompletedSnapshots.isPartial(fact)
                && (type == .subscribed || type == .didRenew)
        }
    }

    /// Adds the family revokes and withdrawals of the next period that are dated before it counts,
    /// while this one runs: they end this copy, too (rule 6).
    mutating func addRevocations(of next: Period) {
        let early = next.spans.filter { span in
            !span.isRefund && countsFrom <= span.from && span.from < min(end, next.countsFrom)
        }
        guard !early.isEmpty else { return }
        spans = (spans + early).sorted { ($0.from, $0.opener) < ($1.from, $1.opener) }
    }

    /// The transactions of one period, and what counts of the ignored ones of other ranks.
    private struct Group {
        var records: ArraySlice<Int>
        /// The first fact about them that names a renewal.
        var renewalFact: Int?
        /// Late copies of a higher rank, which state whether the period is revoked.
        var late: ArraySlice<Int> = []
    }

    /// A transaction that may be one of several of one purchase.
    private struct Restorable {
        let id: WebOrderLineItemId
        let from: Timestamp
        let to: Timestamp
        let record: Int

        /// Nil for a transaction that cannot be grouped: its webOrderLineItemId is absent or "0".
        init?(_ index: Int, _ record: TransactionRecord, _ facts: OrderedFacts) {
            guard let id = facts[record.bestFact].statedTransaction?.webOrderLineItemId, id.isNamed,
                let to = record.end(facts)
            else { return nil }
            (self.id, from, self.to, self.record) = (id, record.bought(facts), to, index)
        }

        static func precedes(_ left: Restorable, _ right: Restorable) -> Bool {
            if left.id != right.id { return left.id < right.id }
            return (left.from, left.to, left.record) < (right.from, right.to, right.record)
        }
    }

    /// Groups auto-renewable transactions that share a webOrderLineItemId (not absent, not "0") and
    /// overlap, directly or through a third, into periods. Each group is a slice of one array.
    private static func groups(
        _ candidates: some Collection<Int>, _ records: [TransactionRecord], _ facts: OrderedFacts
    ) -> [Group] {
        var order: [Int] = []
        var shared: [Restorable] = []
        order.reserveCapacity(candidates.count)
        shared.reserveCapacity(candidates.count)
        for index in candidates {
            guard let snapshot = facts[records[index].bestFact].statedTransaction,
                snapshot.isAutoRenewable
            else { continue }
            if let restorable = Restorable(index, records[index], facts) {
                shared.append(restorable)
            } else {
                order.append(index)
            }
        }
        var groups: [Group] = []
        groups.reserveCapacity(candidates.count)
        for index in order.indices { groups.append(Group(records: order[index...index])) }
        shared.sort(by: Restorable.precedes)
        let sharedOrder = shared.map(\.record)
        var (start, reach) = (0, Timestamp(milliseconds: .min))
        for index in shared.indices {
            let continues =
                index > 0 && shared[index].from < reach
                && shared[index - 1].id == shared[index].id
            if !continues {
                if index > 0 { groups.append(Group(records: sharedOrder[start..<index])) }
                (start, reach) = (index, shared[index].to)
            }
            reach = max(reach, shared[index].to)
        }
        if !shared.isEmpty { groups.append(Group(records: sharedOrder[start...])) }
        guard facts.ranksDiffer else { return groups }
        return groups.flatMap { accepted($0.records, records, facts) }
    }

    /// The transactions of one purchase with the highest rank that dates it: those of other ranks,
    /// under any transactionId, are ignored (`Lifecycle.md` §2 rule 2) and do not join what would
    /// otherwise be several purchases. They may still name a renewal (`isRenewal`), and late copies
    /// of a higher rank state whether it is revoked.
    private static func accepted(
        _ group: ArraySlice<Int>, _ all: [TransactionRecord], _ facts: OrderedFacts
    ) -> [Group] {
        let dated = group.filter { !all[$0].isLate(facts) }
        let trust = (dated.isEmpty ? Array(group) : dated).map { all[$0].best.trust }.max()
        let kept = group.filter { all[$0].best.trust == trust }
        guard kept.count < group.count else { return [Group(records: group)] }
        let ignored = group.filter { all[$0].best.trust != trust && all[$0].renewalFact != nil }
        let top = group.map { all[$0].best.trust }.max()
        let late = top == trust ? [] : group.filter { all[$0].best.trust == top }
        return groups(kept, all, facts).map { found in
            func isJoined(_ index: Int) -> Bool {
                found.records.contains { overlap(all[index], all[$0], facts) }
            }
            let renewal = ignored.filter(isJoined).compactMap { all[$0].renewalFact }.min()
            return Group(
                records: found.records, renewalFact: renewal, late: late.filter(isJoined)[...])
        }
    }

    private static func overlap(
        _ left: TransactionRecord, _ right: TransactionRecord, _ facts: OrderedFacts
    ) -> Bool {
        guard let to = left.end(facts), let otherTo = right.end(facts) else { return false }
        return left.bought(facts) < otherTo && right.bought(facts) < to
    }

    private init(_ group: Group, _ all: [TransactionRecord], _ facts: OrderedFacts) {
        let copies = group.records
        let sorted =
            copies.count == 1
            ? copies : copies.sorted { TransactionRecord.isWorse(all[$0], all[$1], facts) }[...]
        let bestRecord = all[sorted[sorted.endIndex - 1]]
        records = sorted
        late = group.late
        bestFact = bestRecord.bestFact
        isUpgraded = sorted.contains {
            facts[all[$0].bestFact].statedTransaction?.isUpgraded ?? false
        }
        var (start, startFact) = (Timestamp(milliseconds: .max), bestFact)
        var end = Timestamp(milliseconds: .min)
        var endFact = bestRecord.endFact
        var first = (bestRecord.firstStated, bestRecord.firstFact)
        var renewal = group.renewalFact
        var spans = (late.isEmpty ? sorted : late).flatMap { all[$0].spans }
        for index in sorted {
            let record = all[index]
            if let fact = record.renewalFact { renewal = min(renewal ?? fact, fact) }
            if let bought = facts[record.bestFact].statedTransaction?.purchaseDate, bought < start {
                (start, startFact) = (bought, record.bestFact)
            }
            if let stated = record.statedEnd, stated > end {
                end = stated
                endFact = record.endFact
            }
            let stated = (record.firstStated, record.firstFact)
            if stated < first { first = stated }
        }
        if spans.count > 1 {
            spans.sort { ($0.from, $0.opener) < ($1.from, $1.opener) }
        }
        var earliest = sorted
        if earliest.count > 1 {
            earliest.removeAll { !all[$0].purchaseDate(facts).isSameSecond(as: start) }
        }
        transactionId =
            earliest.min { Period.isSmaller(all[$0].transactionId, all[$1].transactionId) }
            .map { all[$0].transactionId } ?? bestRecord.transactionId
        // Receipts write whole seconds.
        if CompletedSnapshots.isPartial(facts[startFact]) {
            start = start.refined(by: facts[bestFact].statedTransaction?.purchaseDate)
        }
        self.start = start
        // Sandbox has stated ends before starts; such a period is empty.
        self.end = max(start, end)
        statedEnd = end
        self.endFact = endFact
        firstStated = first.0
        firstFact = first.1
        renewalFact = renewal
        self.spans = spans
        countsFrom = start
    }
}

extension Period {
    /// A one-time purchase as a period without an end (`Lifecycle.md` §5).
    ///
    /// - `copies`: its transactions; not empty.
    init(purchase copies: ArraySlice<Int>, _ all: [TransactionRecord], _ facts: OrderedFacts) {
        self.init(Group(records: copies), all, facts)
        end = Timestamp(milliseconds: .max)
        endFact = firstFact
        isUpgraded = false
    }
}
