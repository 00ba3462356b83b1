import AppStore

extension OccurrenceReader {
    /// One for each revocation that was a refund, and for each reversal; upgrades give credit that
    /// no payload states.
    mutating func readRefunds() {
        for period in periods where period.isCounted {
            addUpgradeCredit(period)
            for refund in refunds(of: period) {
                let unpriced: Int64 = period.isUnpriced ? 1 : 0
                add(
                    ["refunds": 1, "refunded": refund.amount, "unpriced": unpriced],
                    at: refund.from, period, cause: refund.cause)
                guard let to = refund.to else { continue }
                add(
                    ["reversals": 1, "reversed": refund.amount, "unpriced": unpriced], at: to,
                    period, cause: refund.closingCause)
            }
        }
    }

    private mutating func addUpgradeCredit(_ period: CountedPeriod) {
        guard period.isUpgraded else { return }
        add(["upgradeCredits": 1], at: period.revoked ?? period.end, period)
    }

    /// Purchases and their refunds by now. A purchase without a price counts, with an unknown
    /// amount.
    mutating func readRefundsByPurchase() {
        for period in periods where period.isCounted && period.isPurchase {
            let price = period.price ?? 0
            let standing = refunds(of: period).filter { refund in
                refund.from < limit && (refund.to.map { $0 >= limit } ?? true)
            }
            add(
                [
                    "transactions": 1, "gross": price, "refunds": standing.isEmpty ? 0 : 1,
                    "refunded": min(price, standing.reduce(0) { $0 + $1.amount }),
                    "unpriced": period.isUnpriced ? 1 : 0,
                ], at: period.purchase, period)
        }
    }

    mutating func readRevenue() {
        for period in periods where period.isCounted {
            if let price = period.price {
                if price > 0 {
                    add(["transactions": 1, "gross": price], at: period.purchase, period)
                }
            } else if period.isUnpriced {
                add(["unpriced": 1], at: period.purchase, period)
            }
            for refund in refunds(of: period) {
                add(["refunded": refund.amount], at: refund.from, period, cause: refund.cause)
                guard let to = refund.to else { continue }
                add(["reversed": refund.amount], at: to, period, cause: refund.closingCause)
            }
        }
    }

    // MARK: Refunds

    struct Refund {
        var from: Timestamp
        /// When it was reversed.
        var to: Timestamp?
        /// Milliunits of the period's currency; 0 if no price is stated.
        var amount: Int64
        var cause: Int64
        var closingCause: Int64
    }

    /// Spans with the same date are one refund, in force while any of them is: a restored purchase
    /// is refunded once.
    private func refunds(of period: CountedPeriod) -> [Refund] {
        var refunds: [Refund] = []
        for span in history.periods[period.index].spans where span.isRefund {
            if let last = refunds.last, last.from == span.from {
                guard let end = last.to, span.to.map({ $0 > end }) ?? true else { continue }
                refunds[refunds.count - 1].to = span.to
                refunds[refunds.count - 1].closingCause = closingCause(of: span)
                continue
            }
            refunds.append(
                Refund(
                    from: span.from, to: span.to,
                    amount: history.refunded(period.price ?? 0, by: span, of: period.index),
                    cause: history.facts[span.opener].position, closingCause: closingCause(of: span)
                ))
        }
        return refunds
    }

    private func closingCause(of span: RevocationSpan) -> Int64 {
        history.facts[span.closer ?? span.opener].position
    }

    // MARK: Proceeds

    /// Paid service in the group after which Apple's commission drops, and the longest gap allowed.
    /// Ends keep Apple's local time, so a year across a change of clocks can be an hour shorter.
    static let higherRateMilliseconds: Int64 = 365 * 86_400_000 - 3_600_000
    static let longestGapMilliseconds: Int64 = 60 * 86_400_000
    /// Percent of the price.
    static let usualRate: Int64 = 70
    static let higherRate: Int64 = 85

    private func isUnderProgram(_ period: CountedPeriod) -> Bool {
        let spans = catalogue.smallBusinessProgram[period.values.app] ?? []
        return spans.contains { $0.contains(period.purchase) }
    }

    /// 70 %, or 85 % once a year of paid service has passed with no gap longer than 60 days, and
    /// while the developer was in the Small Business Program. Service counts from the purchase,
    /// except that a period paid for in grace starts at the end of the one before, and to the end
    /// that was bought: days of an extension are not paid for. A free period is not a gap either,
    /// but what a refund takes away is. Refunds count as they were at the purchase, so that later
    /// ones do not change a closed month.
    mutating func readProceeds() {
        // Up to the first refunded period, the service is the same for every later purchase.
        var fixed: Service = (0, nil)
        var changing: [CountedPeriod] = []
        for period in periods where period.isCounted {
            if period.isPurchase {
                var service = fixed
                for earlier in changing {
                    addService(of: earlier, to: &service, at: period.purchase)
                }
                let isLong =
                    unbroken(service, at: period.purchase)
                    >= OccurrenceReader.higherRateMilliseconds
                addProceeds(of: period, isHigher: !history.isOneTime && isLong)
            }
            if changing.isEmpty,
                !history.periods[period.index].spans.contains(where: \.isRefund)
            {
                addService(of: period, to: &fixed, at: period.purchase)
            } else {
                changing.append(period)
            }
        }
    }

    /// Milliseconds of paid service, and the last end of what gave any or was free after it.
    private typealias Service = (paid: Int64, until: Timestamp?)

    /// The paid service that counts at a purchase: none after a gap that is too long.
    private func unbroken(_ service: Service, at purchase: Timestamp) -> Int64 {
        guard let until = service.until,
            purchase.milliseconds(since: until) <= OccurrenceReader.longestGapMilliseconds
        else { return 0 }
        return service.paid
    }

    /// - Parameter purchase: the one whose share the service decides.
    private func addService(
        of period: CountedPeriod, to service: inout Service, at purchase: Timestamp
    ) {
        guard let end = servedEnd(period, at: purchase) else { return }
        service.paid = unbroken(service, at: period.purchase)
        if service.until != nil || period.isPurchase {
            service.until = max(service.until ?? end, end)
        }
        guard period.isPurchase else { return }
        let bought = BillingPeriod.leastEnd(period.index, history) ?? end
        let (sum, overflow) = service.paid.addingReportingOverflow(
            max(0, min(end, bought).milliseconds(since: history.servedFrom(period.index))))
        service.paid = overflow ? .max : sum
    }

    /// When the service of a period ends: at the period's end, or at a refund in force at a later
    /// purchase. Nil if the refund leaves none: it was of the whole price, or not later than the
    /// start of the service.
    private func servedEnd(_ period: CountedPeriod, at purchase: Timestamp) -> Timestamp? {
        var end = period.end
        for span in history.periods[period.index].spans where span.isRefund(before: purchase) {
            let percentage = history.refundedPercentage(by: span, of: period.index)
            guard percentage < History.wholePercentage,
                span.from > history.servedFrom(period.index)
            else { return nil }
            end = min(end, span.from)
        }
        return end
    }

    private mutating func addProceeds(of period: CountedPeriod, isHigher: Bool) {
        guard let price = period.price else {
            add(["unpriced": 1], at: period.purchase, period)
            return
        }
        let isUnderProgram = isUnderProgram(period)
        let rate =
            isHigher || isUnderProgram
            ? OccurrenceReader.higherRate : OccurrenceReader.usualRate
        add(
            [
                "transactions": 1, "gross": price, "atHigherRate": isHigher ? 1 : 0,
                "underProgram": isUnderProgram ? 1 : 0,
                "proceeds": HalfEven.quotient(price * rate, 100),
            ], at: period.purchase, period)
    }
}
