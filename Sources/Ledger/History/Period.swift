import AppStore

/// One paid-for (or free) stretch of a subscription: a transaction, or several that are one
/// purchase restored (`lifecycle.md` §2 rules 2 and 4).
struct Period: Sendable {
    /// Indices into the chain's transaction records, the best one last.
    let records: [Int]
    /// The fact whose snapshot gives every attribute.
    let bestFact: Int
    let best: Statement
    /// `purchaseDate`, the smallest over restores.
    let start: Timestamp
    /// E: the largest end ever stated; never before `start`.
    let end: Timestamp
    /// The fact that first stated `end`.
    let endFact: Int
    let isUpgraded: Bool
    let firstStated: Timestamp
    let firstFact: Int
    let spans: [RevocationSpan]
    /// From when the period governs: `start`, unless rule 4 (history starts at a signedDate) or
    /// rule 5 (anchor kept) move it.
    var countsFrom: Timestamp

    /// The window before E in which facts already speak about what follows E (rule 5).
    var leadMilliseconds: Int64 {
        min(Period.maximumLeadMilliseconds, max(0, end.milliseconds(since: start)) / 2)
    }

    static let maximumLeadMilliseconds: Int64 = 24 * 3_600_000

    /// Order of rule 4: `purchaseDate`, upgraded ones first, then transactionId by length, then
    /// bytes.
    static func precedes(_ left: Period, _ right: Period) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        let (leftId, rightId) = (left.best.transactionId, right.best.transactionId)
        if leftId.rawValue.utf8.count != rightId.rawValue.utf8.count {
            return leftId.rawValue.utf8.count < rightId.rawValue.utf8.count
        }
        return leftId < rightId
    }

    func contains(transaction id: TransactionId, in all: [TransactionRecord]) -> Bool {
        records.contains { all[$0].transactionId == id }
    }
}

extension Period {
    /// The periods of a chain, in order. Only auto-renewable transactions make periods.
    static func periods(of records: [TransactionRecord], _ facts: OrderedFacts) -> [Period] {
        let renewable = records.indices.filter { index in
            facts[records[index].best.fact].statedTransaction?.isAutoRenewable ?? false
        }
        var periods = groups(renewable, records, facts).map { Period($0, records, facts) }
        periods.sort(by: precedes)
        if let first = periods.first, first.firstStated < first.start,
            facts[first.bestFact].statedTransaction?.transactionReason?.value == .renewal
        {
            periods[0].countsFrom = first.firstStated
        }
        return periods
    }

    /// Transactions that share a webOrderLineItemId (not absent, not "0") and overlap, directly or
    /// through a third, are one period.
    private static func groups(
        _ renewable: [Int], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) -> [[Int]] {
        var lone: [[Int]] = []
        var shared: [(id: WebOrderLineItemId, from: Timestamp, to: Timestamp, record: Int)] = []
        for index in renewable {
            guard let snapshot = facts[records[index].best.fact].statedTransaction,
                let id = snapshot.webOrderLineItemId, id.rawValue != "0",
                let from = snapshot.purchaseDate, let to = snapshot.expiresDate,
                // An empty stretch overlaps nothing.
                from < to
            else {
                lone.append([index])
                continue
            }
            shared.append((id, from, to, index))
        }
        guard shared.count > 1 else { return lone + shared.map { [$0.record] } }
        shared.sort { left, right in
            if left.id != right.id { return left.id < right.id }
            return (left.from, left.to, left.record) < (right.from, right.to, right.record)
        }
        var groups = lone
        var current: [Int] = []
        var reach = Timestamp(milliseconds: .min)
        for (index, item) in shared.enumerated() {
            let continues = index > 0 && shared[index - 1].id == item.id && item.from < reach
            if !continues {
                if !current.isEmpty { groups.append(current) }
                current = []
                reach = item.to
            }
            current.append(item.record)
            reach = max(reach, item.to)
        }
        if !current.isEmpty { groups.append(current) }
        return groups
    }

    private init(_ group: [Int], _ all: [TransactionRecord], _ facts: OrderedFacts) {
        let sorted =
            group.count == 1
            ? group : group.sorted { Statement.isWorse(all[$0].best, all[$1].best) }
        let bestRecord = all[sorted[sorted.count - 1]]
        records = sorted
        best = bestRecord.best
        bestFact = bestRecord.best.fact
        isUpgraded = facts[bestRecord.best.fact].statedTransaction?.isUpgraded ?? false
        var start = Timestamp(milliseconds: .max)
        var end = Timestamp(milliseconds: .min)
        var endFact = bestRecord.endFact
        var first = (bestRecord.firstStated, bestRecord.firstFact)
        var spans: [RevocationSpan] = []
        for index in sorted {
            let record = all[index]
            if let purchase = facts[record.best.fact].statedTransaction?.purchaseDate {
                start = min(start, purchase)
            }
            if let stated = record.statedEnd, stated > end {
                end = stated
                endFact = record.endFact
            }
            let stated = (record.firstStated, record.firstFact)
            if stated < first { first = stated }
            spans += record.spans
        }
        if spans.count > 1 {
            spans.sort { ($0.from, $0.opener) < ($1.from, $1.opener) }
        }
        self.start = start
        // Sandbox has stated ends before starts (references, trap 16): such a period is empty.
        self.end = max(start, end)
        self.endFact = endFact
        firstStated = first.0
        firstFact = first.1
        self.spans = spans
        countsFrom = start
    }
}

extension Period {
    /// A one-time purchase as the single period of its chain (`lifecycle.md` §5).
    init(purchase record: TransactionRecord, start: Timestamp, end: Timestamp) {
        records = []
        best = record.best
        bestFact = record.best.fact
        isUpgraded = false
        self.start = start
        self.end = end
        endFact = record.firstFact
        firstStated = record.firstStated
        firstFact = record.firstFact
        spans = record.spans
        countsFrom = start
    }
}

extension TransactionSnapshot {
    /// Whether the transaction makes a period. Payloads without a type (none known, but every
    /// field is optional) are judged by having an end.
    var isAutoRenewable: Bool {
        guard let type else { return expiresDate != nil }
        return type.value == .autoRenewableSubscription
    }
}
