import AppStore

/// One paid or free period of a subscription: a transaction, or several that are one restored
/// purchase (`Lifecycle.md` §2 rules 2 and 4).
struct Period: Sendable {
    /// Indices into the chain's transaction records, the best one last.
    let records: ArraySlice<Int>
    /// The fact whose snapshot supplies every attribute.
    let bestFact: Int
    /// The transaction of that snapshot.
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

    /// Order of rule 4: `purchaseDate`, upgraded ones first, then transactionId by length, then
    /// bytes.
    static func precedes(_ left: Period, _ right: Period) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        let (leftId, rightId) = (left.transactionId, right.transactionId)
        if leftId.rawValue.utf8.count != rightId.rawValue.utf8.count {
            return leftId.rawValue.utf8.count < rightId.rawValue.utf8.count
        }
        return leftId < rightId
    }

    /// Its `start`, or that of its replacement.
    var begins: Timestamp { isReplaced ? countsFrom : start }

    /// The revocation that contains a moment (rule 3); nil if the period is not revoked then.
    func revocation(at time: Timestamp) -> RevocationSpan? {
        spans.first { $0.contains(time) }
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
            var renewal = group.renewalFact
            let copies = group.late.isEmpty ? group.records : group.records + group.late
            guard copies.count > 1 else {
                periods.append(Period(group.records, joined, facts, renewal: renewal))
                continue
            }
            TransactionRecord.joinRevocations(of: group.records, &joined, facts)
            TransactionRecord.joinRevocations(of: group.late, &joined, facts)
            let trust = group.records.first.map { records[$0].best.trust }
            for purchase in TransactionRecord.purchases(copies, joined, facts) {
                let own = purchase.filter { records[$0].best.trust == trust }
                guard !own.isEmpty else { continue }
                let late = purchase.filter { records[$0].best.trust != trust }
                periods.append(Period(own[...], joined, facts, renewal: renewal, late: late[...]))
                // It is about the first of them.
                renewal = nil
            }
        }
        removeUnknownCopies(&periods, records, facts)
        return periods
    }

    /// Removes the empty periods that end no later than an earlier one with a duration: copies,
    /// dated when they were restored, of purchases that are not known (rule 4).
    private static func removeUnknownCopies(
        _ periods: inout [Period], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) {
        guard periods.contains(where: { $0.statedEnd <= $0.start }) else { return }
        periods.sort(by: precedes)
        var reach = Timestamp(milliseconds: .min)
        periods.removeAll { period in
            guard period.statedEnd <= period.start else {
                reach = max(reach, period.statedEnd)
                return false
            }
            return period.statedEnd <= reach && !period.isAnnounced(records, facts)
        }
    }

    /// Whether a signed SUBSCRIBED or DID_RENEW states it: of a copy neither is sent. A body of
    /// version 1 does not say which of its transactions it is about.
    private func isAnnounced(_ all: [TransactionRecord], _ facts: OrderedFacts) -> Bool {
        records.lazy.flatMap { all[$0].statements }.contains { statement in
            let fact = facts[statement.fact]
            let type = fact.cause.notificationType?.value
            return !CompletedSnapshots.isPartial(fact)
                && (type == .subscribed || type == .didRenew)
        }
    }

    /// Rule 4's order, in which a renewal that was replaced before it began is just before its
    /// replacement and counts from there, so that it governs nothing.
    static func order(
        _ periods: inout [Period], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) {
        periods.sort(by: precedes)
        for index in periods.indices.dropFirst() {
            var replaced = periods[index]
            let earliest = replaced.start.advanced(byMilliseconds: -replaced.leadMilliseconds)
            let running = periods.indices[..<index].reversed()
                .prefix { periods[$0].start >= earliest }
                .filter { replaced.begins(during: periods[$0], facts) }
            guard !running.isEmpty else { continue }
            let trust = facts[replaced.bestFact].trust
            let governing = periods[..<index].last {
                !$0.isReplaced && facts[$0.bestFact].trust >= trust
            }
            let isRevoked = governing?.isRevoked(at: replaced.start) ?? false
            guard let limit = replaced.replacementLimit(isRevoked, records, facts),
                let place = running.last(where: { limit < periods[$0].start })
            else { continue }
            replaced.isReplaced = true
            replaced.countsFrom = periods[place].countsFrom
            periods.remove(at: index)
            periods.insert(replaced, at: place)
        }
    }

    /// Whether this is a renewal that would begin while a purchase runs, which may replace it.
    /// Payloads before 2023-06 do not name a renewal.
    private func begins(during other: Period, _ facts: OrderedFacts) -> Bool {
        !other.isReplaced && other.start < start && start < other.end
            && facts[other.bestFact].trust >= facts[bestFact].trust
            && facts.transactionReason(bestFact) != .purchase
    }

    /// The time after which a purchase that runs when this renewal would begin replaced it: any
    /// where this one was upgraded or revoked before it began, or upgraded at any time (a RENEWAL)
    /// and never stated as begun; where it was not stated as begun otherwise, one since it was
    /// first stated; nil: none.
    ///
    /// - Parameter isRevoked: whether the purchase that governs when this one would begin is
    ///   revoked then.
    private func replacementLimit(
        _ isRevoked: Bool, _ all: [TransactionRecord], _ facts: OrderedFacts
    ) -> Timestamp? {
        func isUpgraded(_ statement: Statement) -> Bool {
            facts[statement.fact].statedTransaction?.isUpgraded ?? false
        }
        let any = Timestamp(milliseconds: .min)
        let stated = records.flatMap { all[$0].statements }
        let isOver = stated.contains { statement in
            statement.revocationDate.map { $0 < start } ?? false
                || isUpgraded(statement) && statement.signedDate < start
        }
        guard !isOver else { return any }
        // Only a status, or a notification of other things than money, states that it began; any
        // unrevoked snapshot does where the purchase before it is revoked by then.
        let hasBegun = stated.contains { statement in
            guard statement.signedDate >= start, !isUpgraded(statement) else { return false }
            if isRevoked, statement.revocationDate == nil { return true }
            let fact = facts[statement.fact]
            guard let type = fact.cause.notificationType else { return fact.status != nil }
            return !TrustRanks.ofAnyPurchase.contains(type.value)
        }
        guard !hasBegun else { return nil }
        let isPassedOver =
            !isRevoked && facts.transactionReason(bestFact) == .renewal
            && stated.contains(where: isUpgraded)
        return isPassedOver ? any : firstStated
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
        let records: ArraySlice<Int>
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

    private init(
        _ group: ArraySlice<Int>, _ all: [TransactionRecord], _ facts: OrderedFacts,
        renewal ignored: Int?, late: ArraySlice<Int> = []
    ) {
        let sorted =
            group.count == 1
            ? group : group.sorted { TransactionRecord.isWorse(all[$0], all[$1], facts) }[...]
        let bestRecord = all[sorted[sorted.endIndex - 1]]
        records = sorted
        transactionId = bestRecord.transactionId
        bestFact = bestRecord.bestFact
        isUpgraded = sorted.contains {
            facts[all[$0].bestFact].statedTransaction?.isUpgraded ?? false
        }
        var (start, startFact) = (Timestamp(milliseconds: .max), bestFact)
        var end = Timestamp(milliseconds: .min)
        var endFact = bestRecord.endFact
        var first = (bestRecord.firstStated, bestRecord.firstFact)
        var renewal = ignored
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
        self.init(copies, all, facts, renewal: nil)
        end = Timestamp(milliseconds: .max)
        endFact = firstFact
        isUpgraded = false
    }
}
