import AppStore
import Ledger
import Simulator

/// Why the past may be told otherwise than it was. Each is something that neither version 1, nor
/// an answer of verifyReceipt, nor what the API tells long after has words for.
enum MigratedExcuse: String, CaseIterable {
    /// Both give access; that the payment was late only a lower rank tells, or nobody.
    case graceOfKeptAnchor
    /// Of one with another, in the same access: what came before is told otherwise.
    case label
    /// Nobody tells of a refund that was taken back: only the time in between is lost.
    case refundTakenBack
    /// An extension that Apple no longer tells of: until then the transaction's own end holds, and a
    /// payment that failed later is told from there on.
    case extended
    /// Grace that nobody dated, or told only by a lower rank while a higher one spoke.
    case untoldGrace
    /// No access either way: how long Apple tried.
    case retry
    /// Version 1 has no EXPIRED: grace and retry are told as long as they could have lasted.
    case untoldEnd
}

/// A stretch of the past in which the ledger says something else than what is true.
struct PastStretch {
    let from: Timestamp
    /// All that is true of the customer, and which of it then.
    let truth: [TrueInterval]
    let place: Int
    let said: Interval
    /// Why what was said right before differed; nil when it did not.
    let before: MigratedExcuse?
    let stated: StatedLives

    private static let day: Int64 = 86_400_000
    /// Grace after a period of eight days or less, and after a longer one (`appstore.md` §8).
    private static let (shortGraceDays, graceDays): (Int64, Int64) = (6, 28)
    /// A longest extension (`appstore.md` §4).
    private static let extensionDays: Int64 = 90

    private var state: TrueState { truth[place].state }

    /// Why it may be so, and until when: what was said later than that is wrong. Nil when nothing
    /// excuses it.
    var excuse: (MigratedExcuse, until: Timestamp)? {
        switch (state, said.state) {
        case (.revoked, _): until(.refundTakenBack, refundTakenBack)
        case (.grace, .renewing), (.grace, .revoked): until(.graceOfKeptAnchor, keptAnchor)
        case (.subscribed, .renewing), (.renewing, .subscribed): until(.label, label)
        case (.grace, .billingRetry), (.grace, .expired): until(.untoldGrace, grace)
        case (.billingRetry, .expired): until(.retry, retry(overtime: 20))
        case (.expired, .billingRetry): until(.retry, retry(overtime: nil))
        case (.expired, .grace):
            until(.untoldEnd, place > 0 && truth[place - 1].state == .grace ? grace : nil)
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

    /// The two speak of one purchase.
    private var isOfPeriod: Bool {
        stated.areOne(said.transactionId, truth[place].transactionId)
    }

    private func after(_ moment: Timestamp, days: Int64) -> Timestamp {
        moment.advanced(byMilliseconds: days * PastStretch.day)
    }

    /// When the period ended after which all this happens: the failing, and its end, follow it
    /// without a gap.
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

    /// As long as grace can be.
    private var grace: Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(truth[place].transactionId) else {
            return nil
        }
        let isShort = end.milliseconds(since: purchase.start) <= 8 * PastStretch.day
        return after(end, days: isShort ? PastStretch.shortGraceDays : PastStretch.graceDays)
    }

    /// As long as Apple tries; in truth it is paid, or gives up, up to a twentieth of that later.
    private func retry(overtime: Int64?) -> Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(truth[place].transactionId) else {
            return nil
        }
        let window = purchase.retryDays * PastStretch.day
        return end.advanced(byMilliseconds: window + (overtime.map { window / $0 } ?? 0))
    }

    /// Until it was paid: what is said of the next period, its refund included, is true from then on.
    private var keptAnchor: Timestamp? {
        guard place + 1 < truth.count, let end = truth[place].to,
            truth[place + 1].from == end,
            stated.areOne(said.transactionId, truth[place + 1].transactionId)
        else { return nil }
        return min(end, after(truth[place].from, days: PastStretch.graceDays))
    }

    /// For the one period, and only when what came right before is told otherwise.
    private var label: Timestamp? {
        guard before != nil, isOfPeriod,
            let purchase = stated.whole(truth[place].transactionId)
        else { return nil }
        return [purchase.lastEnd, purchase.extendedEnd].compactMap { $0 }.max()
    }

    /// Access until the end that was paid for; without access until the refund was taken back.
    private var refundTakenBack: Timestamp? {
        guard let end = truth[place].to, isOfPeriod else { return nil }
        switch said.state {
        case .subscribed, .renewing:
            guard let purchase = stated.whole(truth[place].transactionId) else { return nil }
            return min(end, purchase.extendedEnd ?? purchase.lastEnd)
        case .owned, .lapsed, .billingRetry, .expired: return end
        default: return nil
        }
    }

    /// From the end that transactions state to the one RENEWAL_EXTENDED told.
    private var extended: Timestamp? {
        guard isOfPeriod, let purchase = stated.whole(said.transactionId),
            let end = purchase.extendedEnd, from >= purchase.firstEnd
        else { return nil }
        return min(end, after(purchase.firstEnd, days: PastStretch.extensionDays))
    }
}
