import AppStore

/// Statements made only by a lower rank that would end access if they counted. They do not
/// (`Lifecycle.md` §2 rule 2), but raise a notice: `contradiction` if a newer, more trusted
/// statement differs, else `unconfirmedStatement`, because both can be true (`Lifecycle.md` §7).
extension NoticeReader {
    // MARK: Refunds

    /// The best statement of a rank about a transaction.
    private struct LowerStatement {
        let id: TransactionId
        var statement: Statement
    }

    /// Refunds that only a lower rank states: by each rank's best statement, so that a reversal
    /// by the same rank removes the notice.
    mutating func readLowerRefunds() {
        var best: [LowerStatement] = []
        var places: [TransactionId: [Trust: Int]] = [:]
        var statements: [TransactionId: [Int]] = [:]
        var purchases: [WebOrderLineItemId: [Int]] = [:]
        let lowest = facts.indices.map { facts[$0].trust }.min()
        for index in facts.indices {
            guard let stated = facts[index].statedTransaction,
                let statement = Statement(index, in: facts)
            else { continue }
            let (id, trust) = (stated.transactionId, statement.trust)
            statements[id, default: []].append(index)
            if let item = stated.webOrderLineItemId, item.isNamed, trust != lowest {
                purchases[item, default: []].append(index)
            }
            if let place = places[id]?[trust] {
                if Statement.isWorse(best[place].statement, statement) {
                    best[place].statement = statement
                }
            } else {
                places[id, default: [:]][trust] = best.count
                best.append(LowerStatement(id: id, statement: statement))
            }
        }
        for lower in best {
            guard let stated = facts[lower.statement.fact].statedTransaction, !stated.isUpgraded,
                let date = stated.revocationDate
            else { continue }
            let ofPurchase = stated.webOrderLineItemId.flatMap { purchases[$0] } ?? []
            let same = history.isOneTime ? Array(facts.indices) : statements[lower.id] ?? []
            let higher = Set(same + ofPurchase).sorted().compactMap { Statement($0, in: facts) }
                .filter { $0.trust > lower.statement.trust }
            guard !higher.isEmpty else { continue }
            let first = (statements[lower.id] ?? []).compactMap { Statement($0, in: facts) }
                .filter { $0.trust == lower.statement.trust && $0.revocationDate == date }
                .min { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
            readLowerRefund(
                of: lower.id, date, reported: first ?? lower.statement,
                until: lower.statement.signedDate, higher)
        }
    }

    /// - Parameters:
    ///   - date: the stated date of the refund.
    ///   - reported: the first statement of it.
    ///   - last: the date of the last such statement.
    ///   - higher: statements of higher ranks about the same purchase; not empty.
    private mutating func readLowerRefund(
        of id: TransactionId, _ date: Timestamp, reported: Statement, until last: Timestamp,
        _ higher: [Statement]
    ) {
        let ordered = higher.sorted(by: Statement.isWorse)
        guard let best = ordered.last, best.revocationDate == nil,
            !ordered.contains(where: { statement in
                statement.revocationDate.map { $0.isSameSecond(as: date) } ?? false
                    || facts[statement.fact].statedTransaction?.isUpgraded == true
            })
        else { return }
        let later = ordered.filter { statement in
            statement.signedDate.milliseconds(since: date)
                > NoticeLimits.statusToleranceMilliseconds
        }
        let source = source(of: reported.fact)
        if let denying = later.last(where: { $0.signedDate <= last }) {
            add(
                .contradiction, from: reported.signedDate, facts: [denying.fact, reported.fact],
                about: stretch(of: id),
                "\(source) states that transaction \(id) was refunded on \(date.rfc3339), but a"
                    + " more trusted source stated no refund on \(denying.signedDate.rfc3339) and"
                    + " takes precedence.")
            return
        }
        // A statement newer than both may follow a reversed refund: it settles the question.
        let answer = later.min { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        add(
            .unconfirmedStatement, from: reported.signedDate, to: answer?.signedDate,
            facts: [best.fact, reported.fact], about: stretch(of: id),
            "\(source) states that transaction \(id) was refunded on \(date.rfc3339); no more"
                + " trusted source has confirmed it since. It does not count until one does: run"
                + " `subledger reconcile`.")
    }

    // MARK: Purchases

    /// Rejected purchases. Those of one body and one reason are one notice: there may be thousands.
    mutating func readRejectedPurchases() {
        struct Group: Hashable {
            let signedDate: Timestamp
            let trust: Trust
            let isDenied: Bool
        }
        let rejected = (facts.ranks?.rejected ?? []).sorted {
            Period.precedes($0.period, $1.period)
        }
        var places: [Group: Int] = [:]
        var groups: [(first: RejectedPurchase, others: Int)] = []
        for purchase in rejected {
            let isDenied = if case .denied = purchase.reason { true } else { false }
            let group = Group(
                signedDate: facts.times[purchase.reported],
                trust: facts[purchase.reported].trust, isDenied: isDenied)
            if let place = places[group] {
                groups[place].others += 1
            } else {
                places[group] = groups.count
                groups.append((purchase, 0))
            }
        }
        for (first, others) in groups { addRejected(first, and: others) }
    }

    private mutating func addRejected(_ rejected: RejectedPurchase, and others: Int) {
        let purchase =
            "\(source(of: rejected.reported)) states transaction \(rejected.period.transactionId),"
            + " bought on \(rejected.period.start.rfc3339)"
            + (others == 0 ? "" : ", and \(others) more")
        let reported = facts.times[rejected.reported]
        let evidence = [rejected.ruling, rejected.reported]
        switch rejected.reason {
        case .denied:
            add(
                .contradiction, from: reported, facts: evidence,
                "\(purchase); a more trusted source excludes it and takes precedence.")
        case .unconfirmed(let until):
            // Rejected for its whole length, which may be longer.
            let end = max(until, rejected.period.end)
            add(
                .unconfirmedStatement, from: reported, to: reported < end ? end : nil,
                facts: evidence,
                "\(purchase), while a more trusted source gives access until \(until.rfc3339). It"
                    + " does not count until that source confirms it: run `subledger reconcile`.")
        }
    }

    // MARK: Failed payments

    /// Payments that failed after a period according to a lower rank only, while a higher one makes
    /// another statement about that time (rule 5 uses only the highest).
    mutating func readLowerFailures() {
        let periods = history.periods
        for index in periods.indices where !history.isOneTime {
            let next = index + 1 < periods.count ? periods[index + 1] : nil
            if let next, next.start <= periods[index].end { continue }
            let rule = AfterPeriodRule(facts: facts, period: periods[index], nextStart: next?.start)
            let window = rule.candidateFacts(until: next?.start)
            guard let top = window.map({ facts[$0].trust }).max(),
                let lower = window.first(where: { index in
                    facts[index].trust < top && rule.signal(index) == .failing
                }),
                let failing = rule.failing(
                    window.filter { facts[$0].trust == facts[lower].trust }
                ).first
            else { continue }
            let higher = window.filter { facts[$0].trust > facts[failing].trust }
            guard let newest = higher.last,
                !higher.contains(where: { rule.signal($0) == .failing || endsByBilling($0) }),
                !(next.map { isRecovered($0, trust: facts[failing].trust) } ?? false)
            else { continue }
            // Once the subscription is over, the failure makes no difference.
            let over = higher.first { index in
                rule.signal(index) == .over && facts.times[index] > facts.times[failing]
            }.map { facts.times[$0] }
            add(
                .unconfirmedStatement, from: facts.times[failing],
                to: over.map { min($0, next?.start ?? $0) } ?? next?.start,
                facts: [newest, failing], about: stretch(periods[index]),
                "\(source(of: failing)) states that the payment failed; a more trusted source"
                    + " covers that time without a failure and takes precedence. Run"
                    + " `subledger reconcile`.")
        }
    }

    /// Whether a higher rank states that the next period was paid for after a failure.
    private func isRecovered(_ next: Period, trust: Trust) -> Bool {
        facts.recoveries.contains { fact, id in
            facts[fact].trust > trust && next.contains(transaction: id, in: history.records)
        }
    }

    /// Whether the fact states that the subscription ended because it could not be charged.
    private func endsByBilling(_ index: Int) -> Bool {
        facts[index].cause.notificationType?.value == .expired
            && facts[index].cause.subtype?.value == .billingRetry
            || facts[index].statedRenewal?.expirationIntent?.value == .billingError
    }

    // MARK: Sources

    func source(of index: Int) -> String {
        switch facts[index].cause.kind {
        case .notificationV1: "A version 1 notification"
        case .verifyReceipt: "A verifyReceipt response"
        case .receipt: "An app receipt"
        default: "A less trusted source"
        }
    }
}
