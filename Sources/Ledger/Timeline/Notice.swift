import AppStore

/// What looks wrong (`lifecycle.md` §4). Raw values are the contract's.
public enum NoticeCode: String, Sendable, CaseIterable {
    case renewalOverdue
    case missingPeriod
    case unexplainedExpiry
    case historyMissingBefore
    /// Renewal infos are known, and none is about this purchase (`lifecycle.md` §4).
    case missingRenewalInfo
    case lateDelivery
    case contradiction
    case tokenChanged
    case unreadable
    case unknownValue
    /// A refund, a failed payment or a purchase that only a lower rank of trust tells of, or a later
    /// end that only a renewal info states: not believed, and contradicted by nothing
    /// (`Ledger.docc`, Original StoreKit).
    case unconfirmedStatement
}

/// One notice, with the valid time in which it holds. Nothing about it depends on the clock.
public struct Notice: Hashable, Sendable {
    public var code: NoticeCode
    /// A sentence for a person: what is wrong and what follows from it.
    public var message: String
    public var from: Timestamp
    /// Nil: from then on.
    public var to: Timestamp?
    /// Positions of the events that show it, ascending.
    public var evidence: [Int64]

    public init(
        code: NoticeCode, message: String, from: Timestamp, to: Timestamp?, evidence: [Int64]
    ) {
        self.code = code
        self.message = message
        self.from = from
        self.to = to
        self.evidence = evidence
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
    /// How far Apple's status may stand from the change it reflects.
    public static let statusToleranceMilliseconds: Int64 = 60_000
    /// How much later than the original purchase a chain's first period may start.
    public static let firstPeriodToleranceMilliseconds: Int64 = 60_000
}

/// Finds the notices of one chain.
struct NoticeReader {
    let history: History
    let catalogue: Catalogue
    private var found: [Notice] = []

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
        reader.readRankContradictions()
        reader.readLateDeliveries()
        reader.readTokenChange()
        reader.readTokensAgainst(holders)
        reader.readUnfoldable()
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
        _ message: String
    ) {
        add(code, from: from, to: to, positions: indices.map { facts[$0].position }, message)
    }

    mutating func add(
        _ code: NoticeCode, from: Timestamp, to: Timestamp? = nil, positions: [Int64],
        _ message: String
    ) {
        found.append(
            Notice(
                code: code, message: message, from: from, to: to,
                evidence: positions.ascending()))
    }

    // MARK: Periods

    private mutating func readRenewalOverdue() {
        guard let period = history.periods.last, let after = history.after.last ?? nil,
            !after.hasFailing, !after.hasOver,
            let newest = newestKnown(of: history.periods.count - 1, where: { _ in true }),
            facts[newest].statedRenewal?.willRenew == true,
            !period.spans.contains(where: { $0.contains(period.end) })
        else { return }
        add(
            .renewalOverdue, from: period.end, facts: [period.endFact, newest],
            "The period ended and auto-renew was on, but neither a renewal, a billing failure nor"
                + " an expiry is known. Ask Apple for the subscription's status.")
    }

    private mutating func readMissingPeriods() {
        let periods = history.periods
        for index in periods.indices {
            let end = periods[index].end
            let next = index + 1 < periods.count ? periods[index + 1].start : nil
            if periods[index].isUpgraded, next.map({ $0 > end }) ?? true {
                add(
                    .missingPeriod, from: end, facts: [periods[index].bestFact],
                    "The transaction was upgraded, but its successor is unknown.")
            }
            if let next, next > end { readGap(periods[index], periods[index + 1]) }
        }
    }

    private mutating func readGap(_ period: Period, _ next: Period) {
        let gap = next.start.milliseconds(since: period.end)
        let tolerated =
            history.environment == .production ? 0 : NoticeLimits.sandboxGapMilliseconds
        guard gap > tolerated,
            facts[next.bestFact].statedTransaction?.transactionReason?.value == .renewal,
            let before = history.interval(at: next.countsFrom.advanced(byMilliseconds: -1))
        else { return }
        switch history.intervals[before].state {
        case .expired, .revoked:
            add(
                .missingPeriod, from: next.start, facts: [period.endFact, next.firstFact],
                "A renewal starts after a gap that nothing explains: at least one period between"
                    + " is unknown.")
        default: return
        }
    }

    private mutating func readUnexplainedExpiries() {
        for index in history.periods.indices {
            guard let after = history.after[index], let expired = after.expiredFact,
                !after.hasFailing
            else { continue }
            let period = history.periods[index]
            // What came with the end itself, or with another word of it, was not seen before.
            let time = facts.times[expired]
            let known = newestKnown(of: index) { point in
                point.signedDate < time && point.fact != expired && !isOver(point.fact)
            }
            if let known, facts[known].statedRenewal?.willRenew == false { continue }
            guard !period.spans.contains(where: { $0.contains(period.end) }) else { continue }
            add(
                .unexplainedExpiry, from: period.end, facts: [expired],
                "The subscription expired, but neither a turned-off auto-renew nor a billing"
                    + " failure was seen before: a notification is missing.")
        }
    }

    /// The newest renewal info that says whether auto-renew is on, among those about a period's
    /// purchase that qualify.
    private func newestKnown(of period: Int, where qualifies: (RenewalPoint) -> Bool) -> Int? {
        history.renewalSubjects.renewals(of: period).lazy.map { facts.renewals[$0] }.last { point in
            facts[point.fact].statedRenewal?.willRenew != nil && qualifies(point)
        }?.fact
    }

    /// A chain without any renewal info raises nothing: what it is known from has none.
    private mutating func readMissingRenewalInfo() {
        guard !facts.renewals.isEmpty else { return }
        let periods = history.periods
        let starts = periods.indices.filter { history.renewalSubjects.first[$0] == $0 }
        for (place, start) in starts.enumerated()
        where history.renewalSubjects.renewals(of: start).isEmpty {
            let next = place + 1 < starts.count ? starts[place + 1] : nil
            add(
                .missingRenewalInfo, from: periods[start].countsFrom,
                to: next.map { periods[$0].countsFrom }, facts: [periods[start].firstFact],
                "No renewal info about the time since \(periods[start].start.rfc3339) is known:"
                    + " whether auto-renew is on is unknown. Ask Apple, as `subledger reconcile`"
                    + " does.")
        }
    }

    private func isOver(_ index: Int) -> Bool {
        facts[index].cause.notificationType?.value == .expired
            || facts[index].status?.value == .expired
    }

    private mutating func readHistoryMissingBefore() {
        guard let period = history.periods.first,
            let best = facts[period.bestFact].statedTransaction,
            best.transactionId.rawValue != best.originalTransactionId.rawValue
        else { return }
        let isRenewal = best.transactionReason?.value == .renewal
        let isLate =
            best.originalPurchaseDate.map {
                period.start.milliseconds(since: $0)
                    > NoticeLimits.firstPeriodToleranceMilliseconds
            } ?? false
        guard isRenewal || isLate else { return }
        add(
            .historyMissingBefore, from: period.countsFrom, facts: [period.firstFact],
            "The first period known is not the subscription's first: earlier history is missing.")
    }
}
