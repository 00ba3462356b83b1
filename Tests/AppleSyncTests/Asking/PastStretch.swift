import AppStore
import Ledger
import LedgerTestSupport
import Simulator

/// Why the reported past may differ from the truth. No reason can be expressed in version 1
/// notifications, verifyReceipt responses or later API responses.
enum MigratedExcuse: String, CaseIterable {
    /// Both give access; the late payment is stated only by a lower rank, or not at all.
    case graceOfKeptAnchor
    /// Follows another excuse in the same access: the time before it is reported differently.
    case label
    /// No evidence of a reversed refund: only the time in between is lost. Or none yet: Apple
    /// states the refund later, as of then.
    case refundTakenBack
    /// An extension that Apple no longer reports: until then the transaction's own end holds, and a
    /// later payment failure counts from there.
    case extended
    /// Grace without a date, or stated only by a lower rank while a higher one stated otherwise.
    case unstatedGrace
    /// No access either way: the duration of Apple's retries.
    case retry
    /// Version 1 has no EXPIRED: grace and retry last as long as they could have.
    case unstatedEnd
}

/// An interval of the past in which the ledger differs from the truth.
struct PastStretch {
    let from: Timestamp
    /// The customer's true life, and the true state in the interval.
    let truth: [TrueInterval]
    let place: Int
    let said: Interval
    /// Why the interval before differed; nil when it did not.
    let before: MigratedExcuse?
    let stated: StatedLives

    private static let day: Int64 = 86_400_000
    /// Grace after a period of eight days or less, and after a longer one (Apple, Reduce
    /// involuntary churn).
    private static let (shortGraceDays, graceDays): (Int64, Int64) = (6, 28)
    /// The longest extension (App Store Server API).
    private static let extensionDays: Int64 = 90

    private var state: TrueState { truth[place].state }

    /// The excuse, and until when it holds: later differences are wrong. Nil without an excuse.
    var excuse: (MigratedExcuse, until: Timestamp)? {
        switch (state, said.state) {
        case (.revoked, _): until(.refundTakenBack, refundTakenBack)
        case (.grace, .renewing), (.grace, .revoked): until(.graceOfKeptAnchor, keptAnchor)
        case (.subscribed, .renewing), (.renewing, .subscribed): until(.label, label)
        case (.grace, .billingRetry), (.grace, .expired): until(.unstatedGrace, grace)
        case (.billingRetry, .expired): until(.retry, retry(overtime: 20))
        case (.expired, .billingRetry): until(.retry, retry(overtime: nil))
        case (.expired, .grace):
            until(.unstatedEnd, place > 0 && truth[place - 1].state == .grace ? grace : nil)
        case (.subscribed, .expired), (.renewing, .expired), (.subscribed, .grace),
            (.renewing, .grace), (.subscribed, .billingRetry), (.renewing, .billingRetry):
            until(.extended, extended)
        default: nil
        }
    }

    private func until(
        _ excuse: MigratedExcuse, _ end: Timestamp?
    ) -> (MigratedExcuse, until: Timestamp)? { end.map { (excuse, $0) } }

    // MARK: Bounds

    /// Whether the two are about one purchase.
    private var isOfPeriod: Bool {
        stated.areOne(said.transactionId, truth[place].transactionId)
    }

    private func after(_ moment: Timestamp, days: Int64) -> Timestamp {
        moment.advanced(byMilliseconds: days * PastStretch.day)
    }

    /// The end of the period before the interval: the payment failure and its end follow it without
    /// a gap.
    private var end: Timestamp {
        var first = place
        while first > 0, truth[first - 1].transactionId == truth[place].transactionId {
            let earlier = truth[first - 1].state
            guard earlier == .grace || earlier == .billingRetry || earlier == .expired else {
                break
            }
            first -= 1
        }
        return truth[first].from
    }

    /// The longest possible grace.
    private var grace: Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(truth[place].transactionId) else {
            return nil
        }
        let isShort = end.milliseconds(since: purchase.start) <= 8 * PastStretch.day
        return after(end, days: isShort ? PastStretch.shortGraceDays : PastStretch.graceDays)
    }

    /// The longest retry by Apple; in truth payment or giving up follow within a twentieth of that.
    private func retry(overtime: Int64?) -> Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(truth[place].transactionId) else {
            return nil
        }
        let window = purchase.retryDays * PastStretch.day
        return end.advanced(byMilliseconds: window + (overtime.map { window / $0 } ?? 0))
    }

    /// Until it was paid: statements about the next period, including its refund, are true from
    /// then on.
    private var keptAnchor: Timestamp? {
        guard place + 1 < truth.count, let end = truth[place].to,
            truth[place + 1].from == end,
            stated.areOne(said.transactionId, truth[place + 1].transactionId)
        else { return nil }
        return min(end, after(truth[place].from, days: PastStretch.graceDays))
    }

    /// For one period, and only when the interval before it is reported differently.
    private var label: Timestamp? {
        guard before != nil, isOfPeriod,
            let purchase = stated.whole(truth[place].transactionId)
        else { return nil }
        return [purchase.lastEnd, purchase.extendedEnd].compactMap { $0 }.max()
    }

    /// Access until the paid end; no access until the refund was reversed.
    private var refundTakenBack: Timestamp? {
        // A revocation that Apple states only later, as of an earlier time.
        if let stated = stated.revocations[truth[place].transactionId], stated > AskedApple.now {
            return AskedApple.now
        }
        guard let end = truth[place].to, isOfPeriod else { return nil }
        switch said.state {
        case .subscribed, .renewing:
            guard let purchase = stated.whole(truth[place].transactionId) else { return nil }
            return min(end, purchase.extendedEnd ?? purchase.lastEnd)
        case .owned, .lapsed, .billingRetry, .expired: return end
        default: return nil
        }
    }

    /// From the end that transactions state to the one of RENEWAL_EXTENDED.
    private var extended: Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(said.transactionId),
            let end = purchase.extendedEnd, from >= purchase.firstEnd
        else { return nil }
        return min(end, after(purchase.firstEnd, days: PastStretch.extensionDays))
    }
}
