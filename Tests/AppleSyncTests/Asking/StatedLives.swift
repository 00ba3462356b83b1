import AppStore
import Simulator

/// What Apple signed about the purchases of a plan's lives: the bounds of an excuse.
struct StatedLives {
    /// One transaction.
    struct Purchase {
        let start: Timestamp
        /// The first and the last stated end: an extension may be reported as a new one.
        var (firstEnd, lastEnd): (Timestamp, Timestamp)
        /// The end stated by its RENEWAL_EXTENDED.
        var extendedEnd: Timestamp?
        let line: WebOrderLineItemId?
        /// How long Apple retries after it (`Lifecycle.md` §2 rule 5).
        let retryDays: Int64

        /// One purchase restored.
        func isCopy(of other: Purchase) -> Bool {
            line != nil && line != WebOrderLineItemId("0") && line == other.line
                && start < other.lastEnd && other.start < lastEnd
        }
    }

    private(set) var purchases: [TransactionId: Purchase] = [:]
    /// When Apple first signed a revocation of each transaction.
    private(set) var revocations: [TransactionId: Timestamp] = [:]
    /// When renewals were extended, by customer.
    private(set) var extensions: [String: [Timestamp]] = [:]

    init(_ plan: HistoryPlan) {
        var stream = HistoryStream(plan)
        while case let page = stream.next(), !page.isEmpty {
            for delivery in page.map(\.delivery) { take(delivery) }
        }
    }

    private mutating func take(_ delivery: Delivery) {
        guard let stated = delivery.transaction, let id = stated.transactionId,
            let date = delivery.signedDate, let start = stated.purchaseDate,
            let end = stated.expiresDate
        else { return }
        if stated.revocationDate != nil { revocations[id] = min(revocations[id] ?? date, date) }
        var purchase =
            purchases[id]
            ?? Purchase(
                start: start, firstEnd: end, lastEnd: end, line: stated.webOrderLineItemId,
                retryDays: stated.billingPlanType == Raw(.monthly) ? 90 : 60)
        purchase.firstEnd = min(purchase.firstEnd, end)
        purchase.lastEnd = max(purchase.lastEnd, end)
        if case .notification(let payload, _, let renewal) = delivery.evidence,
            payload.notificationType?.value == .renewalExtended,
            let chain = stated.originalTransactionId?.rawValue
        {
            extensions[chain, default: []].append(date)
            purchase.extendedEnd = [purchase.extendedEnd, end, renewal?.renewalDate]
                .compactMap { $0 }.max()
        }
        purchases[id] = purchase
    }

    /// Whether both are transactions of one purchase.
    func areOne(_ left: TransactionId, _ right: TransactionId) -> Bool {
        guard left != right else { return true }
        guard let left = purchases[left], let right = purchases[right] else { return false }
        return left.isCopy(of: right)
    }

    /// The transaction and what was restored from it, as one.
    func whole(_ id: TransactionId) -> Purchase? {
        guard var whole = purchases[id] else { return nil }
        for copy in purchases.values where copy.isCopy(of: whole) {
            whole.firstEnd = min(whole.firstEnd, copy.firstEnd)
            whole.lastEnd = max(whole.lastEnd, copy.lastEnd)
            whole.extendedEnd = [whole.extendedEnd, copy.extendedEnd].compactMap { $0 }.max()
        }
        return whole
    }
}
