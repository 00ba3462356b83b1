import AppStore

extension ReceiptStatements {
    /// From an app receipt, as of its creation date. It states purchases and no renewals.
    public init(_ receipt: AppReceipt, origin: FactOrigin, digest: (Int) -> Digest) {
        self.init(
            Content(
                .receipt, statedAt: receipt.creationDate,
                receipt.inAppPurchases.compactMap { TransactionSnapshot($0) }),
            origin: origin, digest: digest)
    }

    /// From a verifyReceipt response.
    ///
    /// - `origin`: the event and its trust.
    /// - `statedAt`: the time of Apple's statement.
    /// - `digest`: hash of the part with this number, supplied by the caller.
    public init(
        _ response: VerifyReceiptResponse, origin: FactOrigin, statedAt: Timestamp?,
        digest: (Int) -> Digest
    ) {
        self.init(
            Content(
                .verifyReceipt, statedAt: statedAt,
                response.latestReceiptInfo.compactMap { TransactionSnapshot($0) }
                    + ReceiptStatements.submitted(response.receipt, statedAt: statedAt),
                renewals: ReceiptStatements.renewals(response.pendingRenewalInfo)),
            origin: origin, digest: digest)
    }

    /// From a version 1 notification, interpreted in terms of version 2
    /// (`Lifecycle.md` §7).
    public init(
        _ notification: NotificationV1, hasForeignReceipt: Bool = false, origin: FactOrigin,
        statedAt: Timestamp?,
        digest: (Int) -> Digest
    ) {
        var content = Content(
            .notificationV1, statedAt: statedAt,
            notification.transactions.compactMap { TransactionSnapshot($0) },
            renewals: ReceiptStatements.renewals(notification.pendingRenewalInfo))
        content.hasForeignReceipt = hasForeignReceipt
        ReceiptStatements.completeCancellation(notification, &content)
        content.subject = ReceiptStatements.subject(notification, content)
        if let subject = content.subject {
            ReceiptStatements.completeRenewal(of: subject, notification, &content)
        }
        self.init(content, origin: origin, digest: digest)
    }

    /// The chains that the evidence concerns, in order.
    public var chains: [OriginalTransactionId] {
        var chains: [OriginalTransactionId] = []
        for part in parts where chains.last != part.originalTransactionId {
            chains.append(part.originalTransactionId)
        }
        return chains
    }

    /// The purchases of the receipt that was sent to verifyReceipt. Apple only decodes it, so they
    /// are as of its creation, or of a later cancellation that they state; without a creation date
    /// as of the response.
    private static func submitted(
        _ receipt: VerifyReceiptResponse.Receipt?, statedAt: Timestamp?
    ) -> [TransactionSnapshot] {
        (receipt?.inApp ?? []).compactMap { purchase in
            var snapshot = TransactionSnapshot(purchase)
            let known = [receipt?.receiptCreationDate ?? statedAt, snapshot?.revocationDate]
            let latest = known.compactMap(\.self).max()
            snapshot?.signedDate = [latest, statedAt].compactMap(\.self).min()
            return snapshot
        }
    }

    private static func renewals(
        _ infos: [PendingRenewalInfo]
    ) -> [(chain: OriginalTransactionId, renewal: RenewalSnapshot)] {
        infos.compactMap { info in
            info.originalTransactionId.map { ($0, RenewalSnapshot(info)) }
        }
    }

    // MARK: The subject of a notification

    private static func subject(_ notification: NotificationV1, _ content: Content) -> Subject? {
        let transactions = content.transactions
        let named = notification.webOrderLineItemId.flatMap { id in
            let copies = transactions.filter { $0.webOrderLineItemId == id }
            return newestCancelled(copies) ?? copies.max(by: precedes)
        }
        guard
            let chain = notification.originalTransactionId ?? named?.originalTransactionId
                ?? cancelledPurchase(notification, transactions)?.originalTransactionId
                ?? renewedChain(notification, content) ?? newestChain(transactions)
        else { return nil }
        let ofChain = transactions.filter { $0.originalTransactionId == chain }
        let cancelled = [
            named, cancelledPurchase(notification, ofChain), newestCancelled(ofChain),
        ].compactMap(\.self).first { $0.revocationDate != nil }
        let concerned = isAboutCancellation(notification) ? named ?? cancelled : nil
        let renewals = content.renewals.filter { $0.chain == chain }.map(\.renewal)
        let cause = Cause(
            notification, renewal: renewal(renewals, concerned ?? ofChain.max(by: precedes)),
            isUpgrade: isAboutUpgrade(notification, ofChain, cancelled: cancelled))
        return Subject(
            chain: chain,
            transactionId: concerned?.transactionId,
            cause: cause,
            unknownValues: notification.notificationType.map { $0.value == nil } ?? true
                ? ["notificationType"] : [])
    }

    /// Of a notification about a cancellation, the purchase cancelled at the date stated outside
    /// the list, which may have whole seconds, or, without one, that cancelled last. Nil if none is
    /// listed.
    private static func cancelledPurchase(
        _ notification: NotificationV1, _ transactions: [TransactionSnapshot]
    ) -> TransactionSnapshot? {
        guard isAboutCancellation(notification) else { return nil }
        let stated = notification.cancellationDate
        return newestCancelled(
            transactions.filter { purchase in
                stated.map { purchase.revocationDate?.isSameSecond(as: $0) == true } ?? true
            })
    }

    /// The chain of the only renewal, or of the only one that equals the renewal stated outside the
    /// receipt, by which Apple names the subscription where there are several.
    private static func renewedChain(
        _ notification: NotificationV1, _ content: Content
    ) -> OriginalTransactionId? {
        let stated = notification.renewal
        let equal = content.renewals.filter {
            stated.autoRenewProductId != nil
                && $0.renewal.autoRenewProductId == stated.autoRenewProductId
                && $0.renewal.autoRenewStatus == stated.autoRenewStatus
        }
        return [content.renewals, equal].first { $0.count == 1 }?.first?.chain
    }

    /// The chain of the newest purchase.
    private static func newestChain(
        _ transactions: [TransactionSnapshot]
    ) -> OriginalTransactionId? {
        transactions.max(by: precedes)?.originalTransactionId
    }

    private static func isAboutCancellation(_ notification: NotificationV1) -> Bool {
        switch notification.notificationType?.value {
        case .cancel, .refund, .revoke: true
        default: false
        }
    }

    /// Whether an INTERACTIVE_RENEWAL or CANCEL is about an upgrade, by the newest purchases of its
    /// chain: older ones were replaced, or refunded, earlier. False for other types.
    private static func isAboutUpgrade(
        _ notification: NotificationV1, _ purchases: [TransactionSnapshot],
        cancelled: TransactionSnapshot?
    ) -> Bool {
        switch notification.notificationType?.value {
        case .interactiveRenewal:
            // The purchase before the newest, or the newest if the list omits its successor.
            let newest = Set(purchases.compactMap(\.bought)).sorted().suffix(2)
            return purchases.contains { purchase in
                purchase.isUpgraded && purchase.bought.map { newest.contains($0) } ?? false
            }
        case .cancel:
            // A later date outside the list is of a purchase that the list omits.
            let outside = notification.cancellationDate
            guard let cancelled, let date = cancelled.revocationDate, (outside ?? date) <= date
            else { return outside == nil }
            return cancelled.isUpgraded
        default: return false
        }
    }

    private static func newestCancelled(
        _ transactions: [TransactionSnapshot]
    ) -> TransactionSnapshot? {
        transactions.filter { $0.revocationDate != nil }.max { left, right in
            let (one, two) = (left.revocationDate, right.revocationDate)
            if one != two { return (one?.milliseconds ?? .min) < (two?.milliseconds ?? .min) }
            return left.transactionId < right.transactionId
        }
    }

    /// Uses the notification's own renewal if its receipt lists none.
    private static func completeRenewal(
        of subject: Subject, _ notification: NotificationV1, _ content: inout Content
    ) {
        guard notification.renewal.hasRenewalState,
            !content.renewals.contains(where: { $0.chain == subject.chain })
        else { return }
        content.renewals.append((subject.chain, RenewalSnapshot(notification.renewal)))
    }

    /// Before 2020, cancellations were listed outside the transaction.
    private static func completeCancellation(
        _ notification: NotificationV1, _ content: inout Content
    ) {
        guard let date = notification.cancellationDate, let id = notification.webOrderLineItemId
        else { return }
        for index in content.transactions.indices
        where content.transactions[index].webOrderLineItemId == id
            && content.transactions[index].revocationDate == nil
            && !content.transactions[index].isUpgraded
        { content.transactions[index].revocationDate = date }
    }
}
