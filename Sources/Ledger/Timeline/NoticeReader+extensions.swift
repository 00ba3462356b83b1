import AppStore

extension NoticeReader {
    /// The newest renewal info states a later end than every transaction. The renewal was then
    /// extended, and RENEWAL_EXTENDED, the only notification whose renewal date counts
    /// (`Lifecycle.md` §2 rule 4), is missing; while a payment is pending the date has another
    /// meaning.
    mutating func readUnstatedExtension() {
        guard let last = history.periods.last, !last.isUpgraded, !last.isRevoked(at: last.end),
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
        // Receipts have whole seconds.
        guard date.milliseconds(since: end) >= 1_000 else { return }
        add(
            .unconfirmedStatement, from: facts.times[newest], facts: [newest, last.endFact],
            about: stretch(last),
            "Only a renewal info states an end at \(date.rfc3339), and no transaction or"
                + " RENEWAL_EXTENDED does, so access ends on \(end.rfc3339). Fetch Apple's"
                + " notification history with `subledger reconcile`; an extension older than that"
                + " history needs a grant.")
    }
}
