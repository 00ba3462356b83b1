import AppStore

extension NoticeReader {
    /// Whether an EXPIRED of this reason needs no earlier signed statement: Apple sends none, a
    /// price increase is pending, or a lower rank has one (`Lifecycle.md` §4, `unexplainedExpiry`).
    ///
    /// - Parameters:
    ///   - period: its index.
    ///   - reason: from the EXPIRED or another statement of the end.
    ///   - time: when the EXPIRED was signed; later statements are ignored.
    func isExplained(_ period: Int, _ reason: EndReason?, before time: Timestamp) -> Bool {
        switch reason {
        // Apple announces no removal from sale.
        case .productUnavailable: return true
        // A pending price increase.
        case .priceIncrease:
            let latest = history.renewalSubjects.renewals(of: period).last { index in
                facts.renewals[index].signedDate < time
                    && !history.renewalSubjects.isOvertaken(index, by: period)
                    && renewal(index)?.priceIncreaseStatus != nil
            }
            let status = latest.flatMap { renewal($0)?.priceIncreaseStatus?.value }
            if status == .customerHasNotResponded { return true }
        default: break
        }
        return facts.ranksDiffer && isStatedByLowerRank(history.periods[period], before: time)
    }

    private func renewal(_ index: Int) -> Shared<RenewalSnapshot>? {
        facts[facts.renewals[index].fact].statedRenewal
    }

    /// A statement of a lower trust rank does not decide, but counts as seen.
    private func isStatedByLowerRank(_ period: Period, before time: Timestamp) -> Bool {
        let rule = AfterPeriodRule(facts: facts, period: period, nextStart: nil)
        if rule.candidateFacts(until: time).contains(where: { rule.signal($0) == .failing }) {
            return true
        }
        let newest = facts.allRenewals.last { point in
            period.start <= point.signedDate && point.signedDate < time
                && rule.signal(point.fact) != .over
                && facts[point.fact].statedRenewal?.willRenew != nil
        }
        return newest.map { facts[$0.fact].statedRenewal?.willRenew == false } ?? false
    }
}
