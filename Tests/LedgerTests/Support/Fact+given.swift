import AppStore
import Ledger

/// Facts for tests. Each starts from what Apple usually states; `with`, `transaction` and `renewal`
/// change what a test is about.
extension Fact {
    /// The base of every fact: signed by Apple, received at once. `given` sets position and digest.
    static func reported(
        _ kind: EventKind, type: NotificationType? = nil, subtype: Subtype? = nil,
        at signedDate: Timestamp?
    ) -> Fact {
        Fact(
            position: 0, receivedAt: signedDate ?? origin, trust: .signed,
            cause: Cause(
                kind: kind, notificationType: type.map { Raw($0) }, subtype: subtype.map { Raw($0) }
            ),
            signedDate: signedDate, digest: .unset)
    }

    /// A notification without nested payloads.
    static func notification(
        _ type: NotificationType, _ subtype: Subtype? = nil, at signedDate: Timestamp
    ) -> Fact {
        reported(.notification, type: type, subtype: subtype, at: signedDate)
    }

    /// A notification that carries a transaction.
    static func notification(
        _ type: NotificationType, _ id: String, _ from: Timestamp, _ to: Timestamp,
        at signedDate: Timestamp? = nil, subtype: Subtype? = nil
    ) -> Fact {
        var fact = reported(.notification, type: type, subtype: subtype, at: signedDate ?? from)
        fact.transaction = .period(id, from, to)
        return fact
    }

    /// SUBSCRIBED / INITIAL_BUY at the start of its period.
    static func subscribed(
        _ id: String = "1", _ from: Timestamp, _ to: Timestamp, at signedDate: Timestamp? = nil
    ) -> Fact {
        notification(.subscribed, id, from, to, at: signedDate, subtype: .initialBuy)
            .transaction { $0.transactionReason = Raw(.purchase) }
    }

    /// SUBSCRIBED / RESUBSCRIBE.
    static func resubscribed(
        _ id: String, _ from: Timestamp, _ to: Timestamp, at signedDate: Timestamp? = nil
    ) -> Fact {
        notification(.subscribed, id, from, to, at: signedDate, subtype: .resubscribe)
            .transaction { $0.transactionReason = Raw(.purchase) }
    }

    /// DID_RENEW at the start of its period.
    static func didRenew(
        _ id: String, _ from: Timestamp, _ to: Timestamp, at signedDate: Timestamp? = nil,
        _ subtype: Subtype? = nil
    ) -> Fact {
        notification(.didRenew, id, from, to, at: signedDate, subtype: subtype)
            .transaction { $0.transactionReason = Raw(.renewal) }
    }

    /// DID_FAIL_TO_RENEW; with a grace date also GRACE_PERIOD and auto-renew on.
    static func didFailToRenew(at signedDate: Timestamp, grace: Timestamp? = nil) -> Fact {
        notification(.didFailToRenew, grace == nil ? nil : .gracePeriod, at: signedDate).renewal {
            $0.autoRenewStatus = Raw(.on)
            $0.isInBillingRetryPeriod = grace == nil
            $0.gracePeriodExpiresDate = grace
        }
    }

    /// EXPIRED.
    static func expired(_ subtype: Subtype? = .voluntary, at signedDate: Timestamp) -> Fact {
        notification(.expired, subtype, at: signedDate)
    }

    /// DID_CHANGE_RENEWAL_STATUS.
    static func autoRenew(_ isOn: Bool, at signedDate: Timestamp) -> Fact {
        notification(
            .didChangeRenewalStatus, isOn ? .autoRenewEnabled : .autoRenewDisabled, at: signedDate
        ).renewal { $0.autoRenewStatus = Raw(isOn ? .on : .off) }
    }

    /// One item of an API response: Apple's status.
    static func status(_ status: SubscriptionStatus, at signedDate: Timestamp) -> Fact {
        var fact = reported(.renewalPair, at: signedDate)
        fact.status = Raw(status)
        return fact
    }

    /// A lone signed transaction.
    static func transaction(
        _ id: String, _ from: Timestamp, _ to: Timestamp, at signedDate: Timestamp
    ) -> Fact {
        var fact = reported(.transaction, at: signedDate)
        fact.transaction = .period(id, from, to)
        return fact
    }

    /// A lone renewal info.
    static func renewalInfo(
        at signedDate: Timestamp, _ change: (inout RenewalSnapshot) -> Void = { _ in }
    ) -> Fact {
        reported(.renewalPair, at: signedDate).renewal(change)
    }

    func with(_ change: (inout Fact) -> Void) -> Fact {
        var fact = self
        change(&fact)
        return fact
    }

    func transaction(_ change: (inout TransactionSnapshot) -> Void) -> Fact {
        with { fact in
            guard var snapshot = fact.transaction else { return }
            change(&snapshot)
            fact.transaction = snapshot
        }
    }

    func renewal(_ change: (inout RenewalSnapshot) -> Void) -> Fact {
        with { fact in
            var snapshot = fact.renewal ?? RenewalSnapshot()
            change(&snapshot)
            fact.renewal = snapshot
        }
    }

    /// The same transaction, revoked.
    func revoked(_ date: Timestamp, _ type: RevocationType = .refundFull) -> Fact {
        transaction {
            $0.revocationDate = date
            $0.revocationType = Raw(type)
        }
    }

    func trusted(_ trust: Trust) -> Fact { with { $0.trust = trust } }

    /// A digest that sorts by `order`, for tests about ties.
    func digest(_ order: UInt64) -> Fact {
        with { $0.digest = Digest(words: (order, 0, 0, 1)) }
    }
}

extension TransactionSnapshot {
    /// The smallest auto-renewable transaction: chain "1", one product.
    static func period(_ id: String, _ from: Timestamp, _ to: Timestamp) -> TransactionSnapshot {
        var snapshot = TransactionSnapshot(
            transactionId: TransactionId(id), originalTransactionId: OriginalTransactionId("1"))
        snapshot.productId = ProductId("pro.monthly")
        snapshot.type = Raw(.autoRenewableSubscription)
        snapshot.purchaseDate = from
        snapshot.expiresDate = to
        return snapshot
    }
}

extension Digest {
    /// Marks facts whose digest `given` computes from their content.
    static let unset = Digest(words: (0, 0, 0, 0))

    /// Replaces SHA-256, which this module does not have: equal content, equal digest.
    static func of(_ fact: Fact) -> Digest {
        var content = fact
        content.position = 0
        content.receivedAt = origin
        var words: (UInt64, UInt64, UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 1, 2, 3)
        let prime: UInt64 = 0x0000_0100_0000_01B3
        var text = String(describing: content)
        text.withUTF8 { bytes in
            for byte in bytes {
                words.0 = (words.0 ^ UInt64(byte)) &* prime
                words.1 = (words.1 ^ UInt64(byte)) &* prime
                words.2 = (words.2 ^ UInt64(byte)) &* prime
                words.3 = (words.3 ^ UInt64(byte)) &* prime
            }
        }
        return Digest(words: words)
    }
}
