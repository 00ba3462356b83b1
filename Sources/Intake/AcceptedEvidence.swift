import AppStore
public import Ledger
import LedgerStore
public import Signing

/// Verified evidence before it becomes an event.
package struct AcceptedEvidence: Sendable {
    package let kind: EventKind
    package let bundleId: BundleId?
    package let environment: String?
    /// Whether JWS evidence names no environment; it then verifies in the ledger of either
    /// (`Contract.md`, `ingest`). Receipts, version 1 notifications and verifyReceipt responses,
    /// which may name several chains, must name one.
    package var namesNoEnvironment: Bool { environment == nil && !kind.mayNameSeveralChains }
    /// The signed bytes of evidence that is a single JWS.
    private(set) var signed: SignedBytes?
    /// The bytes to store for evidence that is neither a JWS nor a pair.
    private(set) var verbatim: [UInt8] = []
    /// The certificate chains of its signatures, each once; empty for evidence without one.
    /// Receipts are left out: responders for the signers of older ones no longer answer.
    private(set) var certificateChains: [VerifiedCertificateChain] = []
    /// Throws `wrongApp` or `wrongEnvironment`.
    let require: @Sendable (AppIdentity) throws(VerificationError) -> Void
    /// UTF-8 bytes of the longest id of a chain that it names.
    let chainByteCount: Int
    /// Apple's own ids; nil where the payload identifies the evidence.
    private var ids: [String?]?
    private var attributes: EventAttributes

    private init(
        _ kind: EventKind, _ trust: Trust, _ bundleId: BundleId?, _ environment: String?,
        chains: [OriginalTransactionId?] = [], signedAt: Timestamp?, root: Digest? = nil,
        require: @escaping @Sendable (AppIdentity) throws(VerificationError) -> Void
    ) {
        self.kind = kind
        self.bundleId = bundleId
        self.environment = environment
        self.require = require
        let chains = chains.compactMap { $0 }
        chainByteCount = chains.map(\.rawValue.utf8.count).max() ?? 0
        attributes = EventAttributes(
            kind: kind, source: .import, trust: trust, bundleId: bundleId ?? BundleId(""),
            // Only evidence that names exactly one is about a chain as a whole.
            chain: chains.count == 1 ? chains[0] : nil, signedAt: signedAt, rootFingerprint: root)
    }

    /// The event key: SHA-256 over kind and Apple's own ids (`Log.md` §2). Apple guarantees
    /// transaction ids to be unique only within an app, so the app is included.
    func key(payloadHash: Digest) -> Digest {
        // The nil stands for the missing id of a notification.
        let fallback = (kind == .notification ? [nil] : []) + [payloadHash.hexadecimal]
        return EventKey.make(kind, ids ?? fallback)
    }

    func attributes(source: EventSource) -> EventAttributes {
        var attributes = attributes
        attributes.source = source
        return attributes
    }

    private mutating func setChains(_ all: [VerifiedCertificateChain?]) {
        for case let chain? in all
        where !certificateChains.contains(where: { $0.fingerprint == chain.fingerprint }) {
            certificateChains.append(chain)
        }
    }

    private static func text(_ time: Timestamp?) -> String? {
        time.map { String($0.milliseconds) }
    }
}

// MARK: Signed evidence

extension AcceptedEvidence {
    init(_ notification: VerifiedNotification) {
        let payload = notification.payload
        let transaction = notification.transaction?.payload
        let renewal = notification.renewal?.payload
        self.init(
            .notification, Trust(notification.trust), payload.bundleId ?? transaction?.bundleId,
            notification.environment?.rawValue,
            // An empty id names no chain.
            chains: [
                [transaction?.originalTransactionId, renewal?.originalTransactionId]
                    .lazy.compactMap { $0 }.first { !$0.rawValue.isEmpty }
            ],
            signedAt: payload.signedDate
                ?? [transaction?.signedDate, renewal?.signedDate].compactMap { $0 }.max(),
            root: notification.rootFingerprint
        ) { identity throws(VerificationError) in try identity.require(notification) }
        attributes.notificationType = payload.notificationType?.rawValue
        attributes.subtype = payload.subtype?.rawValue
        attributes.notificationUUID = payload.notificationUUID
        signed = notification.signed
        setChains([
            notification.chain, notification.transaction?.chain, notification.renewal?.chain,
            notification.appTransaction?.chain,
        ])
        ids = payload.notificationUUID.map { [$0.rawValue] }
    }

    init(_ transaction: VerifiedTransaction) {
        let payload = transaction.payload
        self.init(
            .transaction, Trust(transaction.trust), payload.bundleId, payload.environment?.rawValue,
            chains: [payload.originalTransactionId], signedAt: payload.signedDate,
            root: transaction.rootFingerprint
        ) { identity throws(VerificationError) in try identity.require(transaction) }
        signed = transaction.signed
        setChains([transaction.chain])
        ids = [
            payload.bundleId?.rawValue, payload.transactionId?.rawValue,
            AcceptedEvidence.text(payload.signedDate),
        ]
    }

    init(_ pair: VerifiedPair, _ status: Int64?) {
        let transaction = pair.transaction.payload
        let renewal = pair.renewal.payload
        self.init(
            .renewalPair, Trust(pair.transaction.trust), transaction.bundleId,
            (transaction.environment ?? renewal?.environment)?.rawValue,
            chains: [transaction.originalTransactionId],
            signedAt: [transaction.signedDate, renewal?.signedDate].compactMap { $0 }.max(),
            root: pair.transaction.rootFingerprint
        ) { identity throws(VerificationError) in try identity.require(pair) }
        setChains([pair.transaction.chain, pair.renewal.chain])
        ids = [
            transaction.bundleId?.rawValue, transaction.originalTransactionId?.rawValue,
            transaction.transactionId?.rawValue, AcceptedEvidence.text(transaction.signedDate),
            AcceptedEvidence.text(renewal?.signedDate), status.map(String.init),
        ]
    }

    init(_ appTransaction: VerifiedAppTransaction) {
        let payload = appTransaction.payload
        self.init(
            .appTransaction, Trust(appTransaction.trust), payload.bundleId,
            payload.receiptType?.rawValue, signedAt: payload.receiptCreationDate,
            root: appTransaction.rootFingerprint
        ) { identity throws(VerificationError) in try identity.require(appTransaction) }
        signed = appTransaction.signed
        setChains([appTransaction.chain])
        ids = [
            payload.bundleId?.rawValue, payload.appTransactionId?.rawValue,
            AcceptedEvidence.text(payload.receiptCreationDate), payload.deviceVerificationNonce,
        ]
    }
}

extension Trust {
    /// The rank of signed evidence: a root that the operator added counts as Apple's, and what
    /// Xcode or a local test signed proves nothing.
    public init(_ evidence: EvidenceTrust) {
        switch evidence {
        case .apple, .extraRoot: self = .signed
        case .local: self = .xcode
        }
    }
}

// MARK: Original StoreKit

extension AcceptedEvidence {
    init(_ receipt: VerifiedReceipt) {
        let payload = receipt.receipt
        self.init(
            .receipt, Trust(receipt.trust), payload.bundleId, payload.environment?.rawValue,
            chains: ReceiptStatements(payload, origin: .none) { _ in .none }.chains,
            signedAt: payload.creationDate, root: receipt.rootFingerprint
        ) { identity throws(VerificationError) in try identity.require(receipt) }
        verbatim = receipt.bytes
    }

    /// A version 1 notification, which a secret authenticates.
    init(_ notification: NotificationV1, _ sealed: SealedNotificationV1) {
        // Nil where none is named: then it is that of the ledger it is submitted to, over HTTP
        // Production (`Contract.md`, `ingest`).
        let environment = notification.namedEnvironment
        self.init(
            .notificationV1, .secret, notification.bundleId, environment,
            chains: ReceiptStatements(notification, origin: .none, statedAt: nil) { _ in .none }
                .chains, signedAt: AcceptedEvidence.creationDate(of: notification)
        ) { identity throws(VerificationError) in
            try identity.require(
                notification.bundleId, environment: environment ?? identity.environment.rawValue)
        }
        attributes.notificationType = notification.notificationType?.rawValue
        verbatim = sealed.bytes
        // Version 1 has no id: the body without its password identifies it.
        ids = [SHA256.hash(sealed.blank).hexadecimal]
    }

    /// When Apple created a version 1 notification: the date of the receipt inside, which is issued
    /// anew for each one; else the latest past date in the body. A receipt of another app is
    /// ignored. The receipt is not verified: the password authenticates the body.
    private static func creationDate(of notification: NotificationV1) -> Timestamp? {
        let receipt = notification.latestReceipt.flatMap { text in
            try? ReceiptVerifier.readUnverified(Array(text.utf8))
        }
        let isDating = receipt?.bundleId == notification.bundleId
        return (isDating ? receipt?.creationDate : nil) ?? notification.latestPast
    }

    /// A verifyReceipt response: unsigned, accepted because Apple sent it over TLS, or because the
    /// operator vouches for it.
    init(_ response: VerifyReceiptResponse, _ body: [UInt8]) {
        let environment = response.namedEnvironment
        self.init(
            .verifyReceipt, .transport, response.bundleId, environment,
            chains: ReceiptStatements(response, origin: .none, statedAt: nil) { _ in .none }
                .chains, signedAt: response.statedAt
        ) { identity throws(VerificationError) in
            // Old responses name no environment: they belong to the ledger they are submitted to.
            try identity.require(
                response.bundleId, environment: environment ?? identity.environment.rawValue)
        }
        verbatim = body
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
