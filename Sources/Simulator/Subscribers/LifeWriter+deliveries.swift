import AppStore

/// Signing and sending.
extension LifeWriter {
    /// The times of a signature, and the ordinal of its delivery.
    struct Stamp: Sendable {
        let ordinal: Int
        /// signedDate of the transaction inside.
        let snapshot: Timestamp
        /// signedDate of the whole: the time of the fact.
        let signed: Timestamp
    }

    /// Signs and sends a notification about a period (default: the current one). The transaction
    /// inside is signed at `moment`, the envelope within 1.5 s; if `isExact`, all in the same
    /// millisecond.
    @discardableResult
    mutating func notify(
        _ type: NotificationType, _ subtype: Subtype? = nil, at moment: Timestamp,
        status: SubscriptionStatus?, about index: Int? = nil, as id: TransactionId? = nil,
        isExact: Bool = false
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
        let transaction = transactionPayload(index, as: id, at: moment)
        let renewed = moment.advanced(byMilliseconds: inner)
        let renewal = isRenewable ? renewalPayload(at: renewed) : nil
        let ordinal = send(
            .notification(notification, transaction, renewal), signed: signed, about: index)
        book(index, id, moment)
        if isRenewable, !isExact { noteMoment(at: renewed) }
        return Stamp(ordinal: ordinal, snapshot: moment, signed: signed)
    }

    /// Apple answers a query with the transaction, newly signed.
    @discardableResult
    mutating func sendTransaction(
        _ index: Int, as id: TransactionId? = nil, at moment: Timestamp
    ) -> Stamp {
        let payload = transactionPayload(index, as: id, at: moment)
        let ordinal = send(.transaction(payload), signed: moment, about: index)
        book(index, id, moment)
        return Stamp(ordinal: ordinal, snapshot: moment, signed: moment)
    }

    /// Apple answers a query for the chain's status.
    @discardableResult
    mutating func sendPair(at moment: Timestamp, status: SubscriptionStatus) -> Stamp {
        let transaction = transactionPayload(current, at: moment)
        let renewal = renewalPayload(at: moment)
        let ordinal = send(
            .pair(transaction, renewal, Raw(status)), signed: moment, about: current)
        book(current, nil, moment)
        noteMoment(at: moment)
        count(.query)
        return Stamp(ordinal: ordinal, snapshot: moment, signed: moment)
    }

    private mutating func send(
        _ evidence: Delivery.Evidence, signed: Timestamp, about index: Int
    ) -> Int {
        let ordinal = deliveries.count
        let network = details.within(80...4000)
        deliveries.append(
            Delivery(
                ordinal: ordinal, receivedAt: signed.advanced(byMilliseconds: network),
                evidence: evidence))
        periods[index].deliveries.append(ordinal)
        if let date = deliveries[ordinal].renewal?.signedDate {
            statements.append(
                RenewalStatement(
                    ordinal: ordinal, at: date, willRenew: renewal.willRenew,
                    priceIncrease: renewal.priceIncrease))
        }
        now = max(now, signed)
        return ordinal
    }

    private mutating func book(_ index: Int, _ id: TransactionId?, _ moment: Timestamp) {
        periods[index].stated.append(moment)
        if let id { periods[index].identity = id }
    }

    private mutating func noteMoment(at moment: Timestamp) {
        moments.append(
            MomentNote(
                at: moment, willRenew: renewal.willRenew, next: renewal.nextProduct.productId,
                priceIncrease: renewal.priceIncrease))
    }
}
