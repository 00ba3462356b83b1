import AppStore

/// Kinds of inconsistencies (`Lifecycle.md` §4). Raw values are part of the contract.
public enum NoticeCode: String, Sendable, CaseIterable {
    case renewalOverdue
    case missingPeriod
    case unexplainedExpiry
    case historyMissingBefore
    /// Renewal infos are known, and none applies to this run, or to its newest periods
    /// (`Lifecycle.md` §4).
    case missingRenewalInfo
    case lateDelivery
    case contradiction
    case tokenChanged
    case unreadable
    case unknownValue
    /// A refund, a failed payment or a purchase that only a lower rank of trust states, or a later
    /// end that only a renewal info states: not applied, and not contradicted (`Lifecycle.md` §7).
    case unconfirmedStatement
    /// The data of an earlier life under the same ids was erased (`Erasure.md`).
    case erasedBefore
}

/// One notice with the valid time in which it holds. Independent of the clock.
public struct Notice: Hashable, Sendable {
    public var code: NoticeCode
    /// A sentence for people: the problem and its effect.
    public var message: String
    public var from: Timestamp
    /// Nil if open-ended.
    public var to: Timestamp?
    /// Positions of the events that prove it, ascending.
    public var evidence: [Int64]
    /// The period concerned; nil if none or several.
    public var period: Stretch?

    /// A known period, or a time of which nothing is known.
    public struct Stretch: Hashable, Sendable {
        /// Nil if nothing is known of that time.
        public var transactionId: TransactionId?
        public var productId: ProductId?
        /// Nil if the start is unknown.
        public var from: Timestamp?
        /// Nil if no end is known.
        public var to: Timestamp?

        public func contains(_ time: Timestamp) -> Bool {
            (from.map { $0 <= time } ?? true) && (to.map { time < $0 } ?? true)
        }
    }

    public init(
        code: NoticeCode, message: String, from: Timestamp, to: Timestamp?, evidence: [Int64],
        period: Stretch? = nil
    ) {
        self.code = code
        self.message = message
        self.from = from
        self.to = to
        self.evidence = evidence
        self.period = period
    }

    public func holds(at time: Timestamp) -> Bool {
        from <= time && (to.map { time < $0 } ?? true)
    }
}

/// The thresholds of the notices.
public enum NoticeLimits {
    /// `receivedAt − signedDate` above which a delivery was late.
    public static let lateDeliveryMilliseconds: Int64 = 10 * 60_000
    /// Longest unexplained gap before a RENEWAL outside Production.
    public static let sandboxGapMilliseconds: Int64 = 5 * 60_000
    /// Largest distance of Apple's status from the change it reflects.
    public static let statusToleranceMilliseconds: Int64 = 60_000
    /// How much later than the original purchase a chain's first period may start.
    public static let firstPeriodToleranceMilliseconds: Int64 = 60_000
}

/// Finds the notices of one chain.
struct NoticeReader {
    let history: History
    let catalogue: Catalogue
    private var found: [Notice] = []
    /// The period index of each transaction, computed on first use.
    private lazy var periodIndices: [TransactionId: Int] = history.periodIndices

    static func read(
        _ history: History, catalogue: Catalogue, holders: Holders
    ) -> [Notice] {
        var reader = NoticeReader(history: history, catalogue: catalogue)
        if !history.isOneTime {
            reader.readRenewalOverdue()
            reader.readMissingPeriods()
            reader.readUnexplainedExpiries()
            reader.readMissingRenewalInfo()
            reader.readHistoryMissingBefore()
            reader.readStatusContradictions()
            reader.readUnstatedExtension()
        }
        reader.readSnapshotContradictions()
        reader.readForeignReceipts()
        reader.readRankContradictions()
        reader.readLateDeliveries()
        reader.readTokenChange()
        reader.readTokensAgainst(holders)
        reader.readUnfoldable()
        reader.readErasures()
        reader.readUnknownValues()
        guard reader.found.count > 1 else { return reader.found }
        return reader.found.sorted { left, right in
            if left.from != right.from { return left.from < right.from }
            if left.code != right.code { return left.code.rawValue < right.code.rawValue }
            return left.message.utf8.lexicographicallyPrecedes(right.message.utf8)
        }
    }

    private init(history: History, catalogue: Catalogue) {
        self.history = history
        self.catalogue = catalogue
    }

    var facts: OrderedFacts { history.facts }

    mutating func add(
        _ code: NoticeCode, from: Timestamp, to: Timestamp? = nil, facts indices: [Int],
        about period: Notice.Stretch? = nil, _ message: String
    ) {
        add(
            code, from: from, to: to, positions: indices.map { facts[$0].position }, about: period,
            message)
    }

    mutating func add(
        _ code: NoticeCode, from: Timestamp, to: Timestamp? = nil, positions: [Int64],
        about period: Notice.Stretch? = nil, _ message: String
    ) {
        found.append(
            Notice(
                code: code, message: message, from: from, to: to,
                evidence: positions.ascending(), period: period))
    }

    /// A period as the subject of a notice.
    func stretch(_ period: Period) -> Notice.Stretch {
        Notice.Stretch(
            transactionId: period.transactionId,
            productId: facts[period.bestFact].statedTransaction?.productId, from: period.start,
            to: period.end == Timestamp(milliseconds: .max) ? nil : period.end)
    }

    /// The period of a transaction; nil if it has none that counts.
    mutating func stretch(of transaction: TransactionId?) -> Notice.Stretch? {
        guard let transaction, let index = periodIndices[transaction] else { return nil }
        var named = stretch(history.periods[index])
        named.transactionId = transaction
        return named
    }

    // MARK: Periods

    private mutating func readRenewalOverdue() {
        guard let period = history.periods.last, let after = history.after.last ?? nil,
            !after.hasFailing, !after.hasOver,
            let newest = newestKnown(of: history.periods.count - 1, where: { _ in true }),
            facts[newest].statedRenewal?.willRenew == true,
            !period.isRevoked(at: period.end)
        else { return }
        add(
            .renewalOverdue, from: period.end, facts: [period.endFact, newest],
            about: stretch(period),
            "The period ended with auto-renew on, but no renewal, billing failure or expiry is"
                + " known. Get the subscription's status from Apple with `subledger reconcile`.")
    }

    private mutating func readMissingPeriods() {
        let periods = history.periods
        for index in periods.indices {
            let end = periods[index].end
            let next = periods[(index + 1)...].first
            let isMissing = next.map { $0.start > end && followsEnd($0) } ?? true
            if periods[index].isUpgraded, isMissing {
                add(
                    .missingPeriod, from: end, facts: [periods[index].bestFact],
                    about: Notice.Stretch(from: end, to: next?.begins),
                    "Transaction \(periods[index].transactionId) was upgraded, but its successor is"
                        + " unknown: nothing is known about the time from"
                        + " \(end.rfc3339)\(next.map { " to \($0.begins.rfc3339)" } ?? " on").")
            }
            if let next, next.start > end { readGap(periods[index], next) }
        }
    }

    private mutating func readGap(_ period: Period, _ next: Period) {
        let gap = next.start.milliseconds(since: period.end)
        let tolerated =
            facts.environment == .production ? 0 : NoticeLimits.sandboxGapMilliseconds
        guard gap > tolerated, next.isRenewal(facts), followsEnd(next) else { return }
        add(
            .missingPeriod, from: period.end, facts: [period.endFact, next.firstFact],
            about: Notice.Stretch(from: period.end, to: next.begins),
            "A renewal starts on \(next.start.rfc3339) after an unexplained gap: at least one"
                + " period is missing, and nothing is known about the time from"
                + " \(period.end.rfc3339) to \(next.begins.rfc3339).")
    }

    /// Whether the chain is expired or revoked just before a period. Grace and retry up to it
    /// explain a gap.
    private func followsEnd(_ period: Period) -> Bool {
        switch history.stateBefore(period) {
        case .expired, .revoked: true
        default: false
        }
    }

    private mutating func readUnexplainedExpiries() {
        for index in history.periods.indices {
            guard let after = history.after[index], let expired = after.expiredFact,
                !after.hasFailing
            else { continue }
            let period = history.periods[index]
            // Statements that came with the end itself, or with another statement of it, do not
            // count.
            let time = facts.times[expired]
            let known = newestKnown(of: index) { point in
                point.signedDate < time && point.fact != expired && !isOver(point.fact)
            }
            if let known, facts[known].statedRenewal?.willRenew == false { continue }
            guard !period.isRevoked(at: period.end),
                !isExplained(index, after.reason, before: time)
            else { continue }
            add(
                .unexplainedExpiry, from: period.end, facts: [expired], about: stretch(period),
                "The subscription expired, although auto-renew was not known to be off before and"
                    + " no billing failure was reported: a notification is missing.")
        }
    }

    /// The newest renewal info that states the auto-renew status, among those about a period's run
    /// that count; nil if a newer one that counts is about an unknown period, or if the period
    /// overtook it and it states that auto-renew is off.
    private func newestKnown(of period: Int, where counts: (RenewalPoint) -> Bool) -> Int? {
        history.renewalSubjects.newest(
            of: period, where: { counts(facts.renewals[$0]) },
            and: { facts[facts.renewals[$0].fact].statedRenewal?.willRenew != nil }
        ).flatMap { isOvertakenUnlessOn($0, by: period) ? nil : facts.renewals[$0].fact }
    }

    private func isOvertakenUnlessOn(_ index: Int, by period: Int) -> Bool {
        history.renewalSubjects.isOvertaken(index, by: period)
            && facts[facts.renewals[index].fact].statedRenewal?.willRenew != true
    }

    /// A chain without any renewal info raises no notice: its sources have none.
    private mutating func readMissingRenewalInfo() {
        guard !facts.renewals.isEmpty else { return }
        let periods = history.periods
        let starts = periods.indices.filter { history.renewalSubjects.first[$0] == $0 }
        for (place, start) in starts.enumerated() {
            let next = place + 1 < starts.count ? starts[place + 1] : nil
            let newest = history.renewalSubjects.renewals(of: start).last {
                !history.renewalSubjects.isUnknown($0)
            }
            var since: Int? = start
            if let newest {
                since = (start..<(next ?? periods.count)).first {
                    !periods[$0].isReplaced && isOvertakenUnlessOn(newest, by: $0)
                }
            }
            let until = next.map { periods[$0].countsFrom }
            guard let since, until.map({ periods[since].countsFrom < $0 }) ?? true else { continue }
            add(
                .missingRenewalInfo, from: periods[since].countsFrom, to: until,
                facts: [periods[since].firstFact],
                about: stretch(periods[since]),
                "No renewal info about the time since \(periods[since].start.rfc3339) is known, so"
                    + " the auto-renew status is unknown. Run `subledger reconcile` to request"
                    + " it.")
        }
    }

    private func isOver(_ index: Int) -> Bool {
        facts[index].cause.notificationType?.value == .expired
            || facts[index].status?.value == .expired
    }

    private mutating func readHistoryMissingBefore() {
        guard let period = history.periods.min(by: { $0.countsFrom < $1.countsFrom }),
            let best = facts[period.bestFact].statedTransaction,
            !period.contains(
                transaction: TransactionId(best.originalTransactionId.rawValue),
                in: history.records)
        else { return }
        let isLate =
            best.originalPurchaseDate.map {
                period.start.milliseconds(since: $0)
                    > NoticeLimits.firstPeriodToleranceMilliseconds
            } ?? false
        guard period.isRenewal(facts) || isLate else { return }
        let start = isLate ? best.originalPurchaseDate : nil
        add(
            .historyMissingBefore, from: period.countsFrom, facts: [period.firstFact],
            about: Notice.Stretch(from: start, to: period.countsFrom),
            "The first period known, from \(period.countsFrom.rfc3339) on, is not the"
                + " subscription's first\(start.map { ", of \($0.rfc3339)" } ?? ""): nothing is"
                + " known of the time before.")
    }
}
