import AppStore

extension NoticeReader {
    /// The newest renewal info states a later end than every transaction does. The renewal was
    /// extended then, and RENEWAL_EXTENDED, by which alone a renewal date counts (`lifecycle.md` §2
    /// rule 4), is missing; while a payment is awaited the date means something else.
    mutating func readUnstatedExtension() {
        guard let last = history.periods.last, !last.isUpgraded,
            !last.spans.contains(where: { $0.contains(last.end) }),
            let newest = facts.renewals.last?.fact,
            let renewal = facts[newest].statedRenewal, let date = renewal.renewalDate,
            renewal.gracePeriodExpiresDate == nil, renewal.isInBillingRetryPeriod != true,
            facts.times[newest] >= last.start
        else { return }
        switch facts[newest].status?.value {
        case .billingRetry, .billingGracePeriod: return
        default: break
        }
        let end = history.periods.lazy.map(\.end).max() ?? last.end
        // Receipts write whole seconds.
        guard date.milliseconds(since: end) >= 1_000 else { return }
        add(
            .unconfirmedStatement, from: facts.times[newest], facts: [newest, last.endFact],
            about: stretch(last),
            "A renewal info alone states that it lasts until \(date.rfc3339); no transaction and no"
                + " RENEWAL_EXTENDED does, so that access ends on \(end.rfc3339). Ask Apple what it"
                + " sent, as `subledger reconcile` does; what is older than its history, extend by"
                + " a grant.")
    }
}
