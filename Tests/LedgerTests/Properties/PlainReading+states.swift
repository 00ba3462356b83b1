import AppStore
import Ledger

/// A plain implementation of rules 5 to 7 of `Lifecycle.md` §2.
extension PlainReading {
    enum RenewalSignal { case over, failing, nothing }

    /// From when facts concern the time after a period.
    private func opening(_ period: Period) -> Int64 {
        PlainReading.opening(period, period.end)
    }

    /// A day before a moment, or half the length of a period.
    static func opening(_ period: Period, _ moment: Timestamp) -> Int64 {
        let half = (period.end.milliseconds - period.start.milliseconds) / 2
        return moment.milliseconds - min(dayLength, half)
    }

    /// Evidence about the time after a period, signed before a moment.
    func evidence(
        _ period: Period, before limit: Timestamp?, where isMeant: (Fact) -> Bool = { _ in true }
    ) -> [Fact] {
        let window = facts.filter { fact in
            (fact.cause.notificationType != nil || fact.renewal != nil || fact.status != nil)
                && fact.signedDate!.milliseconds >= opening(period)
                && (limit.map { fact.signedDate! < $0 } ?? true) && isMeant(fact)
        }
        let trust = window.map(\.trust).max()
        return window.filter { $0.trust == trust }
    }

    /// Whether a fact concerns the payment due at a period's end, and not a later one.
    private func isAbout(_ fact: Fact, _ index: Int) -> Bool {
        let (period, next, signed) = (periods[index], periods[index + 1], fact.signedDate!)
        if signed >= next.end { return false }
        if index + 2 < periods.count, signed >= periods[index + 2].start { return false }
        switch fact.cause.notificationType?.value {
        case .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke: break
        default:
            if let named = fact.transaction, let date = named.purchaseDate {
                // A copy is dated when it was restored, which may be after its end.
                let end = named.expiresDate ?? date.advanced(byMilliseconds: 1)
                let bought = date < end ? date : end.advanced(byMilliseconds: -1_000)
                return named.transactionId == period.id
                    || bought >= period.start && bought < period.end
            }
        }
        return signed.milliseconds < opening(next)
    }

    func word(_ fact: Fact, _ period: Period) -> RenewalSignal {
        if let signed = signedWord(fact, period) { return signed }
        let (type, status) = (fact.cause.notificationType?.value, fact.status?.rawValue)
        if type == .expired || status == 2 { return .over }
        if type == .didFailToRenew || type == .gracePeriodExpired || status == 3 || status == 4 {
            return .failing
        }
        if let grace = fact.renewal?.gracePeriodExpiresDate, grace > period.end,
            fact.renewal?.autoRenewStatus?.rawValue == 1
        {
            return .failing
        }
        guard fact.status == nil else { return .nothing }
        if fact.renewal?.isInBillingRetryPeriod == true { return .failing }
        return fact.renewal?.expirationIntent?.value != nil ? .over : .nothing
    }

    /// What the renewal info of a pair states; nil where its unsigned status decides.
    func signedWord(_ fact: Fact, _ period: Period) -> RenewalSignal? {
        guard fact.cause.kind == .renewalPair, let renewal = fact.renewal else { return nil }
        let signed = renewal.signedDate ?? fact.signedDate!
        guard signed.milliseconds >= opening(period) else { return nil }
        let grace = renewal.gracePeriodExpiresDate
        let isInGrace = grace.map { $0 > period.end && $0 > fact.signedDate! } ?? false
        if isInGrace, renewal.autoRenewStatus?.rawValue == 1 { return .failing }
        if renewal.isInBillingRetryPeriod == true { return nil }
        switch renewal.expirationIntent?.value {
        case .billingError, nil: return nil
        default: return .over
        }
    }

    func keptAnchor(_ index: Int) -> Timestamp? {
        let (period, next) = (periods[index], periods[index + 1])
        guard next.start == period.end, next.firstStated > period.end else { return nil }
        let reported = evidence(period, before: next.firstStated) { isAbout($0, index) }
        // A lower rank does not delay a higher-rank period.
        guard let trust = reported.first?.trust, trust >= next.best.fact.trust else { return nil }
        let grace = failing(reported, period).last { fact in
            (fact.renewal?.gracePeriodExpiresDate).map { $0 > period.end } ?? false
        }?.renewal?.gracePeriodExpiresDate
        guard let grace else { return nil }
        let until = min(next.firstStated, grace, next.end)
        return until > period.end ? until : nil
    }

    /// The state at a moment; nil before the first period.
    func state(_ moment: Timestamp) -> ChainState? {
        guard let index = periods.lastIndex(where: { $0.countsFrom <= moment }) else { return nil }
        let period = periods[index]
        if period.spans.contains(where: { span in
            // A refund is of the period alone, which the history may start with before it begins.
            span.from <= moment && (span.to.map { moment < $0 } ?? true)
                && (!span.isRefund || period.start <= moment)
        }) {
            return .revoked
        }
        if moment < period.end { return label(index) }
        let next = index + 1 < periods.count ? periods[index + 1] : nil
        if let next, next.start <= period.end { return .grace }
        return after(period, next, moment)
    }

    /// Whether no renewal info by a moment came with the period that governs then, or was signed
    /// since it was bought or stated: what was decided before is over, except that auto-renew is
    /// on.
    func isOvertaken(_ moment: Timestamp) -> Bool {
        guard let period = periods.last(where: { $0.countsFrom <= moment }) else { return false }
        return facts.allSatisfy { fact in
            guard let signed = fact.renewal?.signedDate ?? fact.signedDate, fact.renewal != nil
            else { return true }
            if let bought = fact.transaction?.purchaseDate, bought >= period.start { return false }
            return signed > moment || signed < min(period.start, period.firstStated)
        }
    }

    private func label(_ index: Int) -> ChainState {
        let period = periods[index]
        if period.best.transaction.transactionReason?.value == .renewal { return .renewing }
        switch stateBefore(period) {
        case .subscribed, .renewing, .grace, .billingRetry: return .renewing
        default: return .subscribed
        }
    }

    /// If a rank states a new purchase, lower ranks do not define the time before.
    private func stateBefore(_ period: Period) -> ChainState? {
        let before = period.countsFrom.advanced(byMilliseconds: -1)
        let trust = period.best.fact.trust
        let previous = periods.last { $0.countsFrom <= before }
        guard period.best.transaction.transactionReason?.value == .purchase,
            let previous, previous.best.fact.trust < trust
        else { return state(before) }
        return PlainReading(facts.filter { $0.trust >= trust }, environment: environment)
            .state(before)
    }

    /// The failing facts, less those that a cancellation before the end followed.
    private func failing(_ window: [Fact], _ period: Period) -> [Fact] {
        let decided = window.last { fact in
            fact.signedDate! < period.end && fact.renewal?.autoRenewStatus?.value != nil
        }
        let isCancelled = decided.map { fact in
            fact.renewal?.autoRenewStatus?.value == .off && word(fact, period) == .nothing
        }
        return window.filter { fact in
            word(fact, period) == .failing
                && !(isCancelled == true && fact.signedDate! <= decided!.signedDate!)
        }
    }

    private func after(_ period: Period, _ next: Period?, _ moment: Timestamp) -> ChainState {
        let window = evidence(period, before: next?.start)
        let failing = failing(window, period)
        let over = window.filter { word($0, period) == .over }
        let isRecovered = next.map { isRecovery($0, over) } ?? false
        if failing.isEmpty && !isRecovered { return .expired }
        let exit = exit(period, next, window, failing, isRecovered)
        if moment >= exit { return .expired }
        return moment < graceEnd(period, window, failing) ? .grace : .billingRetry
    }

    private func isRecovery(_ next: Period, _ over: [Fact]) -> Bool {
        facts.contains { fact in
            !over.contains { $0.trust > fact.trust }
                && fact.cause.notificationType?.value == .didRenew
                && fact.cause.subtype?.value == .billingRecovery
                && fact.transaction.map { next.ids.contains($0.transactionId) } ?? false
        }
    }

    func exit(
        _ period: Period, _ next: Period?, _ window: [Fact], _ failing: [Fact], _ isRecovered: Bool
    ) -> Timestamp {
        let isMonthly = period.best.transaction.billingPlanType?.value == .monthly
        let length =
            environment == .production
            ? (isMonthly ? 90 : 60) * dayLength
            : 2 * (period.end.milliseconds - period.start.milliseconds)
        var cap = period.end.advanced(byMilliseconds: length)
        if let newest = failing.last?.signedDate { cap = max(cap, newest) }
        if isRecovered, let next { cap = max(cap, next.start) }
        let over = window.first { fact in
            word(fact, period) == .over
                && !failing.contains { $0.signedDate! > fact.signedDate! }
        }
        guard let over else { return max(cap, period.end) }
        if over.signedDate! > cap, over.cause.notificationType?.value != .expired { return cap }
        return max(over.signedDate!, period.end)
    }

    func graceEnd(_ period: Period, _ window: [Fact], _ failing: [Fact]) -> Timestamp {
        let dates = failing.compactMap(\.renewal?.gracePeriodExpiresDate).filter { $0 > period.end }
        if let last = dates.last { return last }
        let isGrace = failing.contains { fact in
            fact.renewal?.gracePeriodExpiresDate == nil
                && (fact.cause.subtype?.value == .gracePeriod || fact.status?.rawValue == 4)
        }
        guard isGrace else { return period.end }
        let over = window.first { fact in
            fact.status?.rawValue == 3 && signedWord(fact, period) == nil
                || fact.cause.notificationType?.value == .gracePeriodExpired
        }?.signedDate
        let longest = period.end.advanced(byMilliseconds: 3 * dayLength)
        return over.map { min($0, longest) } ?? longest
    }
}
