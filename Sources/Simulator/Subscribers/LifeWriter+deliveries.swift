import AppStore

/// Signing and sending.
extension LifeWriter {
    /// The time of a signature, and the ordinal of its delivery.
    struct Stamp: Sendable {
        let ordinal: Int
        /// signedDate of the whole: the time of the fact.
        let signed: Timestamp
    }

    /// Signs and sends a notification about a period (default: the current one). The transaction
    /// inside is signed at `moment`, the envelope within 1.5 s; if `isExact`, all in the same
    /// millisecond.
    @discardableResult
    mutating func notify(
        _ type: NotificationType, _ subtype: Subtype? = nil, at moment: Timestamp,
        status: SubscriptionStatus?, about index: Int? = nil, isExact: Bool = false
    ) -> Stamp {
        let index = index ?? current
        let isRenewable = periods[index].product.type == .autoRenewableSubscription
        let jitter = isExact ? 0 : details.within(0...(traits.pace == .calendar ? 1500 : 200))
        let inner = isExact || jitter == 0 ? 0 : details.within(0...jitter)
        let signed = moment.advanced(
            byMilliseconds: traits.statesEnvelopeDate || !isRenewable ? jitter : inner)
        var notification = NotificationPayload()
        notification.notificationType = Raw(type)
        notification.subtype = subtype.map { Raw($0) }
        notification.notificationUUID = NotificationUUID(
            LifeTraits.uuid(seed &* 0x9E37_79B9_7F4A_7C15 &+ 1, details.next()))
        notification.version = "2.0"
        if traits.statesEnvelopeDate || !isRenewable { notification.signedDate = signed }
        var data = NotificationData()
        data.environment = Raw(traits.pace.environment)
        data.appAppleId = world.appAppleId
        data.bundleId = world.bundleId
        data.bundleVersion = "1"
        if isRenewable, traits.statesStatus { data.status = status.map { Raw($0) } }
        if type == .consumptionRequest { data.consumptionRequestReason = Raw(.other) }
        notification.data = data
        let transaction = transactionPayload(index, at: moment)
        let renewal =
            isRenewable ? renewalPayload(at: moment.advanced(byMilliseconds: inner)) : nil
        return send(
            .notification(notification, transaction, renewal), about: index, at: moment,
            signed: signed, isExact: isExact)
    }

    /// Apple answers a query with the transaction, newly signed.
    mutating func sendTransaction(
        _ index: Int, as id: TransactionId? = nil, at moment: Timestamp
    ) {
        let payload = transactionPayload(index, as: id, at: moment)
        send(.transaction(payload), about: index, as: id, at: moment, signed: moment)
    }

    /// Apple answers a query for the chain's status.
    @discardableResult
    mutating func sendPair(at moment: Timestamp, status: SubscriptionStatus) -> Stamp {
        let transaction = transactionPayload(current, at: moment)
        let renewal = renewalPayload(at: moment)
        return send(
            .pair(transaction, renewal, Raw(status)), about: current, at: moment, signed: moment)
    }

    /// - Parameters:
    ///   - moment: signedDate of the transaction inside.
    ///   - signed: signedDate of the whole.
    @discardableResult
    private mutating func send(
        _ evidence: Delivery.Evidence, about index: Int, as id: TransactionId? = nil,
        at moment: Timestamp, signed: Timestamp, isExact: Bool = false
    ) -> Stamp {
        let ordinal = deliveries.count
        let network = details.within(80...4000)
        deliveries.append(
            Delivery(
                ordinal: ordinal, receivedAt: signed.advanced(byMilliseconds: network),
                evidence: evidence))
        periods[index].deliveries.append(ordinal)
        periods[index].stated.append(moment)
        if let id { periods[index].identity = id }
        if let date = deliveries[ordinal].renewal?.signedDate {
            statements.append(
                RenewalStatement(
                    ordinal: ordinal, at: date, willRenew: renewal.willRenew,
                    next: renewal.nextProduct.productId, priceIncrease: renewal.priceIncrease,
                    isExact: isExact))
        }
        now = max(now, signed)
        return Stamp(ordinal: ordinal, signed: signed)
    }
}
