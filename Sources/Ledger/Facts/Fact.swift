import AppStore

/// What one event says: zero or one transaction snapshot, zero or one renewal snapshot, and a
/// cause (`lifecycle.md` §1).
public struct Fact: Hashable, Sendable {
    /// Where the event stands in the log. Never used in reduction, only to name evidence.
    public var position: Int64
    /// When the appended delivery arrived. Never used in reduction (`lifecycle.md` §2 rule 1).
    public var receivedAt: Timestamp
    public var trust: Trust
    public var cause: Cause
    /// The fact's time: its envelope's `signedDate`, else the largest inside it. A fact without
    /// one changes nothing.
    public var signedDate: Timestamp?
    /// SHA-256 of the payload bytes (of a pair: the transaction's, the renewal's, then status).
    public var digest: Digest
    /// Apple's own status, as of `signedDate`.
    public var status: Raw<SubscriptionStatus>?
    public var transaction: TransactionSnapshot?
    public var renewal: RenewalSnapshot?
    /// Wire names of enumerated fields whose value this version does not know.
    public var unknownValues: [String]
    /// Why this version cannot fold the fact; nil when it can.
    public var flaw: Flaw?

    /// What makes a genuine event unfoldable. Raw values are stored.
    public enum Flaw: String, Sendable {
        /// No `signedDate` anywhere: the fact cannot be ordered.
        case undated
        /// A transaction without transactionId, purchaseDate, or, auto-renewable, expiresDate.
        case incompleteTransaction
        /// The evidence no longer holds its bytes (erased): a tombstone.
        case erased
        /// The payload could not be decoded by this version.
        case undecodable
    }

    public init(
        position: Int64, receivedAt: Timestamp, trust: Trust, cause: Cause,
        signedDate: Timestamp?, digest: Digest, status: Raw<SubscriptionStatus>? = nil,
        transaction: TransactionSnapshot? = nil, renewal: RenewalSnapshot? = nil,
        unknownValues: [String] = [], flaw: Flaw? = nil
    ) {
        self.position = position
        self.receivedAt = receivedAt
        self.trust = trust
        self.cause = cause
        self.signedDate = signedDate
        self.digest = digest
        self.status = status
        self.transaction = transaction
        self.renewal = renewal
        self.unknownValues = unknownValues
        self.flaw = flaw
    }

    /// The version of the translation from payloads to facts. Stored facts of another version are
    /// discarded and decoded again from the evidence.
    public static let decoderVersion = 1
}

/// What kind of event a fact came from, in Apple's words where Apple has them.
public struct Cause: Hashable, Sendable {
    public var kind: EventKind
    public var notificationType: Raw<NotificationType>?
    public var subtype: Raw<Subtype>?
    public var notificationUUID: NotificationUUID?

    public init(
        kind: EventKind, notificationType: Raw<NotificationType>? = nil,
        subtype: Raw<Subtype>? = nil, notificationUUID: NotificationUUID? = nil
    ) {
        self.kind = kind
        self.notificationType = notificationType
        self.subtype = subtype
        self.notificationUUID = notificationUUID
    }
}
