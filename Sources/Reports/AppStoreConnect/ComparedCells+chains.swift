import AppStore
import Ledger

extension ComparedCells {
    mutating func add(_ life: Lifecycle, of chain: ChainId, catalogue: Catalogue) {
        chainCount += 1
        let life = life.counted(catalogue)
        guard !life.isOneTime else {
            for interval in life.intervals {
                if let product = interval.productId { note(product, isOneTime: true) }
            }
            return
        }
        let stretches = ChainMetrics(life, of: chain.bundleId, catalogue: catalogue).stretches
        for stretch in stretches {
            if let product = stretch.values.product { note(product) }
        }
        addStates(stretches, chain)
        if days[.subscriptionEvent] != nil {
            let periods = life.periodReadings(
                in: chain.bundleId, catalogue: catalogue, limit: limit)
            addChanges(stretches, periods, chain)
            addRenewals(life, periods, chain, catalogue)
        }
        if days[.subscriber] != nil { addPurchases(life, chain, catalogue) }
        if days[.subscriptionEvent] != nil || days[.subscriber] != nil {
            addRefunds(life, chain, catalogue)
        }
        guard life.isAdopted, let first = stretches.first, first.isCounted else { return }
        addMissing(before: first, chain)
    }

    // MARK: States

    private mutating func addStates(_ stretches: [CountedStretch], _ chain: ChainId) {
        for (day, ourEnd, end) in stateDays {
            let ours = stretch(stretches, at: ourEnd)
            let theirs = stretch(stretches, at: end)
            for figure in SalesReport.Figure.all(of: .subscription) {
                count(
                    ours.flatMap { $0.counts(figure) ? stateCell(figure, day, $0.values) : nil },
                    theirs.flatMap { $0.counts(figure) ? stateCell(figure, day, $0.values) : nil },
                    chain)
            }
            guard let theirs, theirs.state.isEntitled else { continue }
            let figure: SalesReport.Figure =
                theirs.values.phase == .trial ? .trials : .activePaid
            if !theirs.isCounted {
                explain(.familySharing, 1, .subscription, figure, at: end, theirs.values, chain)
            } else if theirs.state == .grace {
                explain(.gracePeriod, -1, .subscription, figure, at: end, theirs.values, chain)
            }
        }
    }

    /// The stretch at a moment; nil where none is known by the limit.
    private func stretch(_ stretches: [CountedStretch], at moment: Timestamp) -> CountedStretch? {
        guard moment < limit, let found = stretches.last(where: { $0.from <= moment }),
            found.to.map({ $0 > moment }) ?? true
        else { return nil }
        return found
    }

    // MARK: Events

    private mutating func addChanges(
        _ stretches: [CountedStretch], _ periods: [PeriodReading], _ chain: ChainId
    ) {
        for index in stretches.indices {
            let before = index > 0 ? stretches[index - 1] : nil
            let after = stretches[index]
            let isConverted =
                before.map { $0.state.isEntitled && after.values.converts($0.values) } ?? false
                && after.state.isEntitled
            let isEnded =
                after.state == .expired
                && before.map { $0.state.isEntitled || $0.state == .billingRetry } ?? false
            let found: [(figure: SalesReport.Figure, isMeant: Bool)] = [
                (.starts, after.entry == .new), (.reactivations, after.entry == .reactivated),
                (.trialConversions, isConverted), (.cancellations, isEnded),
            ]
            for (figure, isMeant) in found where isMeant {
                guard after.isCounted else {
                    explain(
                        .familySharing, 1, .subscriptionEvent, figure, at: after.from,
                        after.values, chain)
                    continue
                }
                count(.subscriptionEvent, figure, at: after.from, after.values, chain)
                guard figure == .reactivations,
                    periods.last(where: { $0.start <= after.from })?.isRenewal == true
                else { continue }
                // After a refund, or a gap in the ledger's data, Apple counts a renewal.
                explain(
                    .renewalAfterLoss, -1, .subscriptionEvent, figure, at: after.from,
                    after.values, chain)
            }
        }
    }

    /// Apple counts the first payment of the standard price after an introductory offer as a
    /// conversion, not as a renewal. A payment in grace has a later date than the offer's end.
    private mutating func addRenewals(
        _ life: Lifecycle, _ periods: [PeriodReading], _ chain: ChainId, _ catalogue: Catalogue
    ) {
        let conversions = Set(
            zip(periods, periods.dropFirst())
                .filter { !$1.followsGap && $1.values.converts($0.values) }
                .map { $1.purchase })
        for found in occurrences(.renewals, life, chain, catalogue) {
            let amount = found.amounts["renewals"] ?? found.amounts["unpriced"] ?? 0
            guard amount > 0 else { continue }
            count(.subscriptionEvent, .renewals, at: found.at, found.values, chain)
            guard conversions.contains(found.at) else { continue }
            explain(
                .trialConversions, -1, .subscriptionEvent, .renewals, at: found.at, found.values,
                chain)
        }
    }

    // MARK: Purchases

    private mutating func addPurchases(
        _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue
    ) {
        for found in occurrences(.revenue, life, chain, catalogue) {
            if (found.amounts["transactions"] ?? 0) > 0 {
                count(.subscriber, .purchases, at: found.at, found.values, chain)
                addPrice("gross", found, .purchases, chain)
            } else if (found.amounts["unpriced"] ?? 0) > 0 {
                count(.subscriber, .purchases, at: found.at, found.values, chain)
            }
        }
        for found in occurrences(.proceeds, life, chain, catalogue) {
            if let amount = found.amounts["proceeds"] {
                estimate(amount, at: found.at, found.values)
            }
        }
        for period in life.periodReadings(in: chain.bundleId, catalogue: catalogue, limit: limit)
        where period.isTrial {
            count(.subscriber, .freePeriods, at: period.purchase, period.values, chain)
            // Apple's rows of free periods have the price 0.
            if let currency = period.values.currency {
                price(
                    SalesReportTable.Price(milliunits: 0, currency: currency), .freePeriods,
                    at: period.purchase, period.values, chain)
            }
        }
    }

    private mutating func addRefunds(
        _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue
    ) {
        for found in occurrences(.refunds, life, chain, catalogue)
        where (found.amounts["refunds"] ?? 0) > 0 {
            count(.subscriptionEvent, .refunds, at: found.at, found.values, chain)
            count(.subscriber, .refunds, at: found.at, found.values, chain)
            addPrice("refunded", found, .refunds, chain)
        }
    }

    private mutating func addPrice(
        _ column: String, _ found: Occurrence, _ figure: SalesReport.Figure, _ chain: ChainId
    ) {
        guard let milliunits = found.amounts[column], let currency = found.values.currency else {
            return
        }
        // A report has whole minor units; the remainder of a partial refund may not.
        let step: Int64 = [1_000, 100, 10, 1][Money.minorDigitCount(currency)]
        let rounded = milliunits.addingSaturated(step / 2) / step * step
        price(
            SalesReportTable.Price(milliunits: rounded, currency: currency), figure,
            at: found.at, found.values, chain)
    }

    private func occurrences(
        _ metric: CountedMetric, _ life: Lifecycle, _ chain: ChainId, _ catalogue: Catalogue
    ) -> [Occurrence] {
        life.occurrences(
            of: metric, in: chain.bundleId, catalogue: catalogue, limit: limit, instants: [])
    }

    // MARK: Missing history

    /// The chain existed before its first known period: it may be in any cell of an earlier day.
    private mutating func addMissing(before first: CountedStretch, _ chain: ChainId) {
        for kind in SalesReport.Kind.allCases {
            for end in (ends[kind] ?? []).prefix(while: { $0 < first.from }) {
                for figure in SalesReport.Figure.all(of: kind) {
                    explain(.missingHistory, 1, kind, figure, at: end, first.values, chain)
                }
            }
        }
    }
}

extension CountedStretch {
    /// Whether a figure of the subscription report counts it as our metrics do: grace is active.
    fileprivate func counts(_ figure: SalesReport.Figure) -> Bool {
        switch figure {
        case .activePaid: isPaid
        case .trials: isTrial
        case .grace: isActive && state == .grace
        case .billingRetry: isCounted && state == .billingRetry
        default: false
        }
    }
}

extension DimensionValues {
    /// Whether a period with these values turns the one just before it into a conversion: from an
    /// introductory offer, free or paid, to the standard price, of any product.
    fileprivate func converts(_ before: DimensionValues) -> Bool {
        before.offer?.type?.value == .introductoryOffer && phase == .standard
    }
}
