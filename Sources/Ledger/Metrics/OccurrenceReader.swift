import AppStore

/// Reads occurrences off one chain's history. Only periods that count are looked at: no copies.
struct OccurrenceReader {
    let life: Lifecycle
    let catalogue: Catalogue
    let limit: Timestamp
    /// One for each of the history's periods.
    let periods: [CountedPeriod]
    var found: [Occurrence] = []

    var history: History { life.history }

    init(_ life: Lifecycle, app: BundleId, catalogue: Catalogue, limit: Timestamp) {
        self.life = life
        self.catalogue = catalogue
        self.limit = limit
        let history = life.history
        periods = history.periods.indices.compactMap { index in
            CountedPeriod(index, history, app: app, catalogue: catalogue)
        }
    }

    mutating func add(
        _ amounts: [String: Int64], at: Timestamp, _ period: CountedPeriod, cause: Int64? = nil
    ) {
        found.append(
            Occurrence(
                at: at, values: period.values, amounts: amounts, cause: cause ?? period.cause))
    }

    /// The period that governs at a moment; nil before the first.
    func period(at moment: Timestamp) -> CountedPeriod? {
        history.interval(at: moment).flatMap { index in period(history.intervals[index]) }
    }

    func period(_ interval: Interval) -> CountedPeriod? {
        periods.first { $0.index == interval.period }
    }

    /// Paid periods of a subscription, in order.
    var paid: [CountedPeriod] {
        history.isOneTime ? [] : periods.filter { $0.isCounted && !$0.isTrial }
    }

    /// Whether neither expired nor revoked lies just before a period: the same run goes on.
    func continuesRun(_ period: CountedPeriod) -> Bool {
        let before = period.start.advanced(byMilliseconds: -1)
        guard let index = history.interval(at: before) else { return false }
        let state = history.intervals[index].state
        return state != .expired && state != .revoked
    }
}

/// A period as occurrences see it.
struct CountedPeriod {
    /// Of the history's periods.
    let index: Int
    let values: DimensionValues
    /// From when it governs.
    let start: Timestamp
    /// When it ends: at its stated end, or where the next one begins before.
    let end: Timestamp
    /// The stated end.
    let statedEnd: Timestamp
    /// When it was bought: what revenue is dated by.
    let purchase: Timestamp
    /// Milliunits; nil unless price and currency are stated.
    let price: Int64?
    let isRenewal: Bool
    let isUpgraded: Bool
    let period: BillingPeriod?
    /// Position of the event that first stated it.
    let cause: Int64

    init?(_ index: Int, _ history: History, app: BundleId, catalogue: Catalogue) {
        let governing = history.periods[index]
        guard let snapshot = history.facts[governing.bestFact].statedTransaction else { return nil }
        self.index = index
        values = DimensionValues(snapshot, app: app, catalogue: catalogue)
        start = governing.countsFrom
        statedEnd = governing.end
        let next = index + 1 < history.periods.count ? history.periods[index + 1].countsFrom : nil
        end = max(governing.countsFrom, next.map { min($0, governing.end) } ?? governing.end)
        purchase = governing.start
        let isPrice = (0...BillingPeriod.largestPrice).contains(snapshot.price ?? -1)
        price = isPrice && snapshot.currency != nil ? snapshot.price : nil
        isUpgraded = governing.isUpgraded
        cause = history.facts[governing.firstFact].position
        // Payloads before 2023-06 carry no transactionReason; DID_RENEW says the same.
        isRenewal =
            snapshot.transactionReason.map { $0.value == .renewal }
            ?? (history.facts[governing.firstFact].cause.notificationType?.value == .didRenew)
        period = BillingPeriod(index, history, catalogue: catalogue)
    }

    var isCounted: Bool {
        values.ownership != .familyShared && values.ownership != .assigned
    }

    var isTrial: Bool { values.phase == .trial }

    /// What was paid for it is not stated; a trial cost nothing.
    var isUnpriced: Bool { price == nil && !isTrial }

    /// It cost something, or states no price.
    var isPurchase: Bool { isUnpriced || price ?? 0 > 0 }
}
