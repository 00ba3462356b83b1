import AppStore

/// Computes occurrences from one chain's history. Only periods that count are used: no copies.
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

    /// Whether the run continues: neither expired nor revoked time lies just before the period, or
    /// the period before it was upgraded (`Lifecycle.md` §3).
    func continuesRun(_ period: CountedPeriod) -> Bool {
        let last = history.periods[..<period.index].last { !$0.isReplaced }
        if last?.isUpgraded ?? false { return true }
        let before = period.start.advanced(byMilliseconds: -1)
        return history.state(at: before).map { $0 != .expired && $0 != .revoked } ?? false
    }
}

/// A period with the values that occurrences need.
struct CountedPeriod {
    /// Index into the history's periods.
    let index: Int
    let values: DimensionValues
    /// When it starts to govern.
    let start: Timestamp
    /// Its stated end, or the start of the next one if earlier.
    let end: Timestamp
    let statedEnd: Timestamp
    /// The purchase, by which revenue is dated.
    let purchase: Timestamp
    /// Milliunits; nil unless price and currency are stated.
    let price: Int64?
    let isRenewal: Bool
    let isUpgraded: Bool
    /// It was paid for, but was replaced before it began (`Lifecycle.md` §2 rule 4).
    let isReplaced: Bool
    /// Its stated revocationDate.
    let revoked: Timestamp?
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
        isReplaced = governing.isReplaced
        revoked = snapshot.revocationDate
        cause = history.facts[governing.firstFact].position
        isRenewal = governing.isRenewal(history.facts)
        period = BillingPeriod(index, history, catalogue: catalogue)
    }

    var isCounted: Bool { values.ownership.isOwnPurchase }

    var isTrial: Bool { values.phase == .trial }

    /// No price is stated, and it is not a trial.
    var isUnpriced: Bool { price == nil && !isTrial }

    /// Its price is above 0 or not stated.
    var isPurchase: Bool { isUnpriced || price ?? 0 > 0 }
}
