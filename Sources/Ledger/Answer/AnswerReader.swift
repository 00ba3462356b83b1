import AppStore

/// Computes the answer for one moment from a history.
struct AnswerReader {
    let history: History
    let at: Timestamp
    /// Current time. For a moment after it, the newest renewal info applies regardless of when it
    /// was signed.
    let now: Timestamp
    /// Whether entitled states give access.
    let givesAccess: Bool

    private var facts: OrderedFacts { history.facts }

    /// Nil before the first period.
    func answer(notices: [Notice]) -> ChainAnswer? {
        guard let index = history.interval(at: at) else { return nil }
        let interval = history.intervals[index]
        let period = history.periods[interval.period]
        guard let best = facts[period.bestFact].statedTransaction else { return nil }
        let same = history.unbroken(around: index) { $0 == interval.state }
        let entitled = history.unbroken(around: index, where: \.isEntitled)
        let newest = history.isOneTime ? nil : newestRenewal(interval.period)
        let renewalFact = newest?.fact
        let renewal = newest.flatMap { $0.isOvertaken ? nil : facts[$0.fact].statedRenewal }
        let willRenew = newest.flatMap { newest in
            newest.isOvertaken ? true : self.willRenew(newest.fact, renewal?.willRenew)
        }
        let span = period.revocation(at: at)
        let isEntitled = givesAccess && interval.state.isEntitled
        let evidence = history.decidingFacts(of: index) + [renewalFact].compactMap(\.self)
        let tokenFact = Tokens.fact(history, at: at)
        return ChainAnswer(
            state: interval.state, isEntitled: isEntitled,
            since: history.intervals[same.first].from,
            until: history.intervals[same.last].to,
            accessUntil: isEntitled ? history.intervals[entitled.last].to : nil,
            willRenew: willRenew, productId: best.productId,
            nextProductId: willRenew == true ? nextProduct(renewal, best) : nil, phase: best.phase,
            ownership: best.ownership,
            appAccountToken: tokenFact.flatMap {
                facts[$0].statedTransaction?.appAccountToken?.inLowerCase
            },
            appAccountTokenTrust: tokenFact.flatMap { tokenTrust(of: $0) }, price: best.money,
            storefront: best.storefront, transactionId: period.transactionId,
            subscriptionGroupIdentifier: best.subscriptionGroupIdentifier, type: best.type,
            offer: best.offer, commitment: commitment(best, renewal, renewalFact),
            priceIncrease: priceIncrease(renewal),
            cancellation: willRenew == false ? cancellation(renewalFact, interval) : nil,
            revocation: span.map { revocation($0, of: interval.period) },
            endReason: interval.reason,
            notices: merged(notices.filter { $0.holds(at: at) }),
            trust: history.trust(of: index),
            evidence: evidence.map { facts[$0].position }.ascending())
    }

    /// The fact whose renewal info holds at the moment: the newest one about the purchase signed by
    /// then. For a period first stated after the moment but before the period's end, the renewal
    /// info that came with that statement. One that the period overtook holds only if auto-renew
    /// is on, and states nothing else.
    private func newestRenewal(_ index: Int) -> (fact: Int, isOvertaken: Bool)? {
        let period = history.periods[index]
        if at <= now, period.firstStated > at, period.firstStated < period.end {
            return firstStatement(index).map { ($0, false) }
        }
        let newest = history.renewalSubjects.renewals(of: index).last { point in
            at > now || facts.renewals[point].signedDate <= at
        }
        guard let newest, !history.renewalSubjects.isUnknown(newest) else { return nil }
        let fact = facts.renewals[newest].fact
        guard history.renewalSubjects.isOvertaken(newest, by: index) else { return (fact, false) }
        return facts[fact].statedRenewal?.willRenew == true ? (fact, true) : nil
    }

    /// Auto-renew as stated by a renewal info at the moment. A DID_CHANGE_RENEWAL_STATUS that first
    /// states a period marks a change at its signedDate: before AUTO_RENEW_DISABLED auto-renew was
    /// on; before AUTO_RENEW_ENABLED it was off since an unknown time.
    private func willRenew(_ fact: Int, _ stated: Bool?) -> Bool? {
        guard let stated, let renewal = facts[fact].statedRenewal else { return nil }
        let subtype: Subtype = stated ? .autoRenewEnabled : .autoRenewDisabled
        guard at < renewal.signedDate ?? facts.times[fact], at <= now,
            facts[fact].cause.notificationType?.value == .didChangeRenewalStatus,
            facts[fact].cause.subtype?.value == subtype
        else { return stated }
        return stated ? nil : true
    }

    /// The first statement of a period that carries a renewal info about its run, among those with
    /// the first date; DID_CHANGE_RENEWAL_STATUS is preferred.
    private func firstStatement(_ index: Int) -> Int? {
        let period = history.periods[index]
        let subjects = history.renewalSubjects
        let stated = subjects.renewals(of: index).filter { point in
            !subjects.isUnknown(point)
        }.map { facts.renewals[$0].fact }
        let ofFirstDate = period.records.flatMap { history.records[$0].statements }
            .filter { $0.signedDate == period.firstStated && stated.contains($0.fact) }
            .map(\.fact)
        return ofFirstDate.first {
            facts[$0].cause.notificationType?.value == .didChangeRenewalStatus
        } ?? ofFirstDate.first { $0 == period.firstFact } ?? ofFirstDate.first
    }

    private func nextProduct(
        _ renewal: Shared<RenewalSnapshot>?, _ best: Shared<TransactionSnapshot>
    ) -> ProductId? {
        guard let next = renewal?.autoRenewProductId, next != best.productId
        else { return nil }
        return next
    }

    /// The highest trust among statements of this token by then.
    private func tokenTrust(of fact: Int) -> Trust? {
        let token = facts[fact].statedTransaction?.appAccountToken?.inLowerCase
        return history.periods.filter { period in
            period.countsFrom <= at
                && facts[period.bestFact].statedTransaction?.appAccountToken?.inLowerCase == token
        }.map { facts.tokenTrust($0.bestFact) }.max()
    }

    private func commitment(
        _ best: Shared<TransactionSnapshot>, _ renewal: Shared<RenewalSnapshot>?, _ fact: Int?
    ) -> ChainAnswer.Commitment? {
        guard best.commitment != nil || renewal?.commitment != nil else { return nil }
        let price = best.commitment?.commitmentPrice
        let next = renewal?.commitment
        return ChainAnswer.Commitment(
            billingPeriodNumber: best.commitment?.billingPeriodNumber,
            totalBillingPeriods: best.commitment?.totalBillingPeriods,
            expiresDate: best.commitment?.commitmentExpiresDate,
            price: price.flatMap { amount in
                best.currency.map { Money(milliunits: amount, currency: $0) }
            },
            willRenew: fact.flatMap { willRenew($0, renewal?.commitmentWillRenew) },
            nextProductId: next?.autoRenewProductId)
    }

    private func priceIncrease(_ renewal: Shared<RenewalSnapshot>?) -> ChainAnswer.PriceIncrease? {
        switch renewal?.priceIncreaseStatus?.value {
        case .customerHasNotResponded: .pending
        case .customerConsentedOrWasNotifiedWithoutNeedingConsent: .accepted
        case nil: nil
        }
    }

    /// Why and since when auto-renew is off; nil if only a later renewal info states that it is.
    private func cancellation(_ renewalFact: Int?, _ interval: Interval) -> ChainAnswer
        .Cancellation?
    {
        guard let renewalFact, let renewal = facts[renewalFact].statedRenewal,
            let index = facts.renewals.lastIndex(where: { $0.fact == renewalFact })
        else { return nil }
        // A renewal info without a status does not break the stretch.
        var first = index
        for earlier in history.renewalSubjects.renewals(of: interval.period).reversed()
        where earlier < index && !history.renewalSubjects.isUnknown(earlier) {
            let decision = facts.renewals[first].fact
            if history.isDecidedAgain(
                after: earlier, in: interval.period,
                isNotified: facts[decision].cause.subtype?.value == .autoRenewDisabled)
            {
                break
            }
            let stated = facts[facts.renewals[earlier].fact].statedRenewal
            // A decision about a commitment precedes its last billing period.
            let willRenew = stated?.commitmentWillRenew == false ? false : stated?.willRenew
            if willRenew == true { break }
            if willRenew == false { first = earlier }
        }
        guard facts.renewals[first].signedDate <= at else { return nil }
        let stated: EndReason =
            renewal.priceIncreaseStatus?.value == .customerHasNotResponded
            ? .priceIncrease : .voluntary
        return ChainAnswer.Cancellation(
            reason: interval.reason ?? stated, at: facts.renewals[first].signedDate)
    }

    private func revocation(
        _ span: RevocationSpan, of period: Int
    ) -> ChainAnswer.Revocation {
        ChainAnswer.Revocation(
            date: span.from,
            reason: history.stated(span, of: period) { $0.revocationReason }?.rawValue,
            type: history.stated(span, of: period) { $0.revocationType }?.rawValue,
            percentage: history.stated(span, of: period) { $0.revocationPercentage })
    }

    /// Merges all `lateDelivery` notices into one.
    private func merged(_ notices: [Notice]) -> [Notice] {
        guard notices.count > 1 else { return notices }
        let late = notices.filter { $0.code == .lateDelivery }
        guard late.count > 1, var joint = late.first else { return notices }
        joint.message = "\(late.count) notifications arrived late. " + joint.message
        joint.evidence = late.flatMap(\.evidence).ascending()
        return notices.filter { $0.code != .lateDelivery } + [joint]
    }
}
