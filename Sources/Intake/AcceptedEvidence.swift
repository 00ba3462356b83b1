import AppStore
import Ledger
import LedgerStore
import Signing

/// Verified evidence before it becomes an event.
package enum AcceptedEvidence: Sendable {
    case notification(VerifiedNotification)
    case transaction(VerifiedTransaction)
    case pair(VerifiedPair, Int64?)
    case appTransaction(VerifiedAppTransaction)
    case receipt(VerifiedReceipt)
    case notificationV1(AcceptedNotificationV1)
    case verifyReceipt(AcceptedVerifyReceipt)

    /// The signed bytes of evidence that is a single JWS.
    var signed: SignedBytes? {
        switch self {
        case .notification(let notification): notification.signed
        case .transaction(let transaction): transaction.signed
        case .appTransaction(let appTransaction): appTransaction.signed
        case .pair, .receipt, .notificationV1, .verifyReceipt: nil
        }
    }

    package var bundleId: BundleId? {
        switch self {
        case .notification(let notification):
            notification.payload.bundleId ?? notification.transaction?.payload.bundleId
        case .transaction(let transaction): transaction.payload.bundleId
        case .pair(let pair, _): pair.transaction.payload.bundleId
        case .appTransaction(let appTransaction): appTransaction.payload.bundleId
        case .receipt(let receipt): receipt.receipt.bundleId
        case .notificationV1(let accepted): accepted.notification.bundleId
        case .verifyReceipt(let accepted): accepted.response.bundleId
        }
    }

    package var environment: String? {
        switch self {
        case .notification(let notification): notification.payload.environment?.rawValue
        case .transaction(let transaction): transaction.payload.environment?.rawValue
        case .pair(let pair, _): pair.transaction.payload.environment?.rawValue
        case .appTransaction(let appTransaction): appTransaction.payload.receiptType?.rawValue
        case .receipt(let receipt): receipt.receipt.environment?.rawValue
        case .notificationV1(let accepted): accepted.environment
        case .verifyReceipt(let accepted): accepted.environment
        }
    }

    /// Whether signed evidence names no environment; it then verifies in the ledger of either
    /// (`Contract.md`, `ingest`).
    var namesNoEnvironment: Bool {
        switch self {
        case .notification(let notification):
            notification.payload.environment == nil
                && notification.transaction?.payload.environment == nil
                && notification.renewal?.payload?.environment == nil
        case .transaction(let transaction): transaction.payload.environment == nil
        case .pair(let pair, _):
            pair.transaction.payload.environment == nil && pair.renewal.payload?.environment == nil
        case .appTransaction(let appTransaction): appTransaction.payload.receiptType == nil
        case .receipt, .notificationV1, .verifyReceipt: false
        }
    }

    /// Throws `wrongApp` or `wrongEnvironment`.
    func require(_ identity: AppIdentity) throws(VerificationError) {
        switch self {
        case .notification(let notification): try identity.require(notification)
        case .transaction(let transaction): try identity.require(transaction)
        case .pair(let pair, _): try identity.require(pair)
        case .appTransaction(let appTransaction): try identity.require(appTransaction)
        case .receipt(let receipt): try identity.require(receipt)
        case .notificationV1(let accepted):
            try identity.require(
                accepted.notification.bundleId,
                environment: accepted.environment ?? identity.environment.rawValue)
        case .verifyReceipt(let accepted):
            // Old responses name no environment: they belong to the ledger they are submitted to.
            try identity.require(
                accepted.response.bundleId,
                environment: accepted.environment ?? identity.environment.rawValue)
        }
    }

    /// The event key: SHA-256 over kind and Apple's own ids (`Log.md` §2). Apple guarantees
    /// transaction ids to be unique only within an app, so the app is included.
    func key(payloadHash: Digest) -> Digest {
        switch self {
        case .notification(let notification):
            guard let uuid = notification.payload.notificationUUID else {
                return EventKey.make(.notification, [nil, payloadHash.hexadecimal])
            }
            return EventKey.make(.notification, [uuid.rawValue])
        case .transaction(let transaction):
            let payload = transaction.payload
            return EventKey.make(
                .transaction,
                [
                    payload.bundleId?.rawValue, payload.transactionId?.rawValue,
                    AcceptedEvidence.text(payload.signedDate),
                ])
        case .pair(let pair, let status):
            let transaction = pair.transaction.payload
            let renewal = pair.renewal.payload
            return EventKey.make(
                .renewalPair,
                [
                    transaction.bundleId?.rawValue, transaction.originalTransactionId?.rawValue,
                    transaction.transactionId?.rawValue,
                    AcceptedEvidence.text(transaction.signedDate),
                    AcceptedEvidence.text(renewal?.signedDate), status.map(String.init),
                ])
        case .appTransaction(let appTransaction):
            let payload = appTransaction.payload
            return EventKey.make(
                .appTransaction,
                [
                    payload.bundleId?.rawValue, payload.appTransactionId?.rawValue,
                    AcceptedEvidence.text(payload.receiptCreationDate),
                    payload.deviceVerificationNonce,
                ])
        case .notificationV1(let accepted):
            // Version 1 has no id: the body without its password identifies it.
            return EventKey.make(
                .notificationV1, [SHA256.hash(accepted.sealed.blank).hexadecimal])
        case .receipt: return EventKey.make(.receipt, [payloadHash.hexadecimal])
        case .verifyReceipt: return EventKey.make(.verifyReceipt, [payloadHash.hexadecimal])
        }
    }

    private static func text(_ time: Timestamp?) -> String? {
        time.map { String($0.milliseconds) }
    }

    func attributes(source: EventSource) -> EventAttributes {
        var attributes = EventAttributes(
            kind: kind, source: source, trust: trust, bundleId: bundleId ?? BundleId(""))
        switch self {
        case .notification(let notification):
            let payload = notification.payload
            let transaction = notification.transaction?.payload
            let renewal = notification.renewal?.payload
            // An empty id names no chain.
            attributes.chain = [
                transaction?.originalTransactionId, renewal?.originalTransactionId,
            ].lazy.compactMap { $0 }.first { !$0.rawValue.isEmpty }
            attributes.notificationType = payload.notificationType?.rawValue
            attributes.subtype = payload.subtype?.rawValue
            attributes.notificationUUID = payload.notificationUUID
            attributes.signedAt =
                payload.signedDate
                ?? [transaction?.signedDate, renewal?.signedDate].compactMap { $0 }.max()
            attributes.rootFingerprint = notification.rootFingerprint
        case .transaction(let transaction):
            attributes.chain = transaction.payload.originalTransactionId
            attributes.signedAt = transaction.payload.signedDate
            attributes.rootFingerprint = transaction.rootFingerprint
        case .pair(let pair, _):
            attributes.chain = pair.transaction.payload.originalTransactionId
            attributes.signedAt = [
                pair.transaction.payload.signedDate, pair.renewal.payload?.signedDate,
            ].compactMap { $0 }.max()
            attributes.rootFingerprint = pair.transaction.rootFingerprint
        case .appTransaction(let appTransaction):
            attributes.signedAt = appTransaction.payload.receiptCreationDate
            attributes.rootFingerprint = appTransaction.rootFingerprint
        case .receipt(let receipt):
            attributes.signedAt = receipt.receipt.creationDate
            attributes.rootFingerprint = receipt.rootFingerprint
            attributes.chain = onlyChain(
                ReceiptStatements(receipt.receipt, origin: .none) { _ in .none })
        case .notificationV1(let accepted):
            let notification = accepted.notification
            attributes.notificationType = notification.notificationType?.rawValue
            attributes.signedAt = accepted.statedAt
            attributes.chain = onlyChain(
                ReceiptStatements(notification, origin: .none, statedAt: nil) { _ in .none })
        case .verifyReceipt(let accepted):
            attributes.signedAt = accepted.response.statedAt
            attributes.chain = onlyChain(
                ReceiptStatements(accepted.response, origin: .none, statedAt: nil) { _ in .none })
        }
        return attributes
    }

    /// The chain of evidence that names exactly one.
    private func onlyChain(_ statements: ReceiptStatements) -> OriginalTransactionId? {
        let chains = statements.chains
        return chains.count == 1 ? chains[0] : nil
    }

    /// The bytes to store for evidence that is neither a JWS nor a pair.
    func verbatim(_ submission: Submission) -> [UInt8] {
        switch (self, submission.form) {
        case (.receipt(let receipt), _): receipt.bytes
        case (.notificationV1(let accepted), _): accepted.sealed.bytes
        case (_, .verifyReceipt(let body)): body
        default: []
        }
    }

    /// A secret authenticates version 1, the connection a verifyReceipt response.
    private var trust: Trust {
        switch self {
        case .notification(let notification): Trust(notification.trust)
        case .transaction(let transaction): Trust(transaction.trust)
        case .pair(let pair, _): Trust(pair.transaction.trust)
        case .appTransaction(let appTransaction): Trust(appTransaction.trust)
        case .receipt(let receipt): Trust(receipt.trust)
        case .verifyReceipt: .transport
        case .notificationV1: .secret
        }
    }

    private var kind: EventKind {
        switch self {
        case .notification: .notification
        case .transaction: .transaction
        case .pair: .renewalPair
        case .appTransaction: .appTransaction
        case .receipt: .receipt
        case .notificationV1: .notificationV1
        case .verifyReceipt: .verifyReceipt
        }
    }
}

extension Trust {
    /// The rank of signed evidence.
    fileprivate init(_ evidence: EvidenceTrust) {
        switch evidence {
        case .apple, .extraRoot: self = .signed
        case .local: self = .xcode
        }
    }
}

extension FactOrigin {
    /// Placeholder for statements that are read only for their chains.
    fileprivate static var none: FactOrigin {
        FactOrigin(
            position: 0, receivedAt: Timestamp(milliseconds: 0), trust: .operator, digest: .none)
    }
}

extension Digest {
    fileprivate static var none: Digest { Digest(words: (0, 0, 0, 0)) }
}
