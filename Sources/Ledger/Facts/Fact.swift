import AppStore

/// The content of one event: at most one transaction snapshot and one renewal snapshot, or an
/// operator's command; and a cause (`Lifecycle.md` §1).
public struct Fact: Hashable, Sendable {
    /// Shared by copies: reduction passes facts around often. With the values in place, folding a
    /// chain of 17 facts took 1.4 times as long.
    @usableFromInline var box: Shared<FactContents>

    /// The event's position in the log. Not used in reduction, only to name evidence.
    public var position: Int64 {
        _read { yield box.value.position }
        set { change { $0.position = newValue } }
    }

    /// When the appended delivery arrived. Not used in reduction (`Lifecycle.md` §2 rule 1).
    public var receivedAt: Timestamp {
        _read { yield box.value.receivedAt }
        set { change { $0.receivedAt = newValue } }
    }

    /// Whether `receivedAt` is the arrival time. An import line without a time is received when it
    /// is read, which is not when it arrived.
    public var isArrivalKnown: Bool {
        _read { yield box.value.isArrivalKnown }
        set { change { $0.isArrivalKnown = newValue } }
    }

    /// Whether the body came with another app's receipt, of which nothing was used
    /// (`Lifecycle.md` §7).
    public var hasForeignReceipt: Bool {
        _read { yield box.value.hasForeignReceipt }
        set { change { $0.hasForeignReceipt = newValue } }
    }

    /// Milliseconds from signing to arrival; nil where either is unknown.
    public var lateness: Int64? {
        guard isArrivalKnown else { return nil }
        return signedDate.map { receivedAt.milliseconds(since: $0) }
    }

    /// Trust of the evidence.
    public var trust: Trust {
        _read { yield box.value.trust }
        set { change { $0.trust = newValue } }
    }

    /// The kind of event that stated it.
    public var cause: Cause {
        _read { yield box.value.cause }
        set { change { $0.cause = newValue } }
    }

    /// The fact's time: its envelope's `signedDate`, else the largest inside it. A fact without
    /// one has no effect.
    public var signedDate: Timestamp? {
        _read { yield box.value.signedDate }
        set { change { $0.signedDate = newValue } }
    }

    /// SHA-256 of the payload bytes (of a pair: the transaction's, the renewal's, then status).
    public var digest: Digest {
        _read { yield box.value.digest }
        set { change { $0.digest = newValue } }
    }

    /// Apple's own status, as of `signedDate`.
    public var status: Raw<SubscriptionStatus>? {
        _read { yield box.value.status }
        set { change { $0.status = newValue } }
    }

    /// A copy of the transaction as the event stated it. Loops read `statedTransaction`.
    public var transaction: TransactionSnapshot? {
        get { box.value.transaction?.value }
        set { change { $0.transaction = newValue.map { Shared($0) } } }
    }

    /// A copy of the renewal info as the event stated it. Loops read `statedRenewal`.
    public var renewal: RenewalSnapshot? {
        get { box.value.renewal?.value }
        set { change { $0.renewal = newValue.map { Shared($0) } } }
    }

    /// A decision of an operator or back end; such a fact has no Apple payload and no signedDate.
    public var command: Command? {
        get { box.value.command?.value }
        set { change { $0.command = newValue.map { Shared($0) } } }
    }

    /// Of an erasure: when the transactions of the chain's app that it keeps under random ids were
    /// bought, ascending (`Erasure.md`). Empty for every other fact.
    public var erasedPurchases: [Timestamp] {
        _read { yield box.value.erasedPurchases }
        set { change { $0.erasedPurchases = newValue } }
    }

    /// The transaction, without copying.
    @inlinable
    package var statedTransaction: Shared<TransactionSnapshot>? { box.value.transaction }

    /// The renewal info, without copying.
    @inlinable
    package var statedRenewal: Shared<RenewalSnapshot>? { box.value.renewal }

    /// Wire names of enumerated fields whose values this version does not know.
    public var unknownValues: [String] {
        _read { yield box.value.unknownValues }
        set { change { $0.unknownValues = newValue } }
    }

    /// Why this version cannot fold the fact; nil when it can.
    public var flaw: Flaw? {
        _read { yield box.value.flaw }
        set { change { $0.flaw = newValue } }
    }

    /// What makes a genuine event impossible to fold. Raw values are stored.
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
        position: Int64, receivedAt: Timestamp, isArrivalKnown: Bool = true, trust: Trust,
        cause: Cause,
        signedDate: Timestamp?, digest: Digest, status: Raw<SubscriptionStatus>? = nil,
        transaction: TransactionSnapshot? = nil, renewal: RenewalSnapshot? = nil,
        unknownValues: [String] = [], flaw: Flaw? = nil, command: Command? = nil
    ) {
        self.init(
            position: position, receivedAt: receivedAt, isArrivalKnown: isArrivalKnown,
            trust: trust, cause: cause,
            signedDate: signedDate, digest: digest, status: status,
            sharing: transaction.map { Shared($0) }, renewal.map { Shared($0) },
            unknownValues: unknownValues, flaw: flaw, command: command)
    }

    /// Like the other initializer, from snapshots that are already shared, without copying.
    package init(
        position: Int64, receivedAt: Timestamp, isArrivalKnown: Bool, trust: Trust, cause: Cause,
        signedDate: Timestamp?, digest: Digest, status: Raw<SubscriptionStatus>?,
        sharing transaction: Shared<TransactionSnapshot>?,
        _ renewal: Shared<RenewalSnapshot>?, unknownValues: [String],
        flaw: Flaw?, command: Command?
    ) {
        box = Shared(
            FactContents(
                position: position, receivedAt: receivedAt, isArrivalKnown: isArrivalKnown,
                trust: trust, cause: cause,
                signedDate: signedDate, digest: digest, status: status, transaction: transaction,
                renewal: renewal, unknownValues: unknownValues, flaw: flaw,
                command: command.map { Shared($0) }))
    }

    private mutating func change(_ body: (inout FactContents) -> Void) {
        var contents = box.value
        body(&contents)
        box = Shared(contents)
    }

    /// The version of the translation from payloads to facts, and of the files that store them.
    /// Stored facts of another version are discarded and decoded again from the evidence.
    /// Where it increases, `Lifecycle.reducerVersion` does too: answers and proofs state only that.
    public static let decoderVersion = 14
}

/// The kind of event a fact came from, with Apple's names.
public struct Cause: Hashable, Sendable {
    public var kind: EventKind
    public var notificationType: Raw<NotificationType>?
    public var subtype: Raw<Subtype>?
    public var notificationUUID: NotificationUUID?

    @inlinable
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

extension Fact: CustomReflectable {
    /// Reflects the content, not the storage.
    public var customMirror: Mirror { Mirror(reflecting: box.value) }
}

@usableFromInline
struct FactContents: Hashable, Sendable {
    var position: Int64
    var receivedAt: Timestamp
    var isArrivalKnown: Bool
    var trust: Trust
    var cause: Cause
    var signedDate: Timestamp?
    var digest: Digest
    var status: Raw<SubscriptionStatus>?
    @usableFromInline var transaction: Shared<TransactionSnapshot>?
    @usableFromInline var renewal: Shared<RenewalSnapshot>?
    var unknownValues: [String]
    var flaw: Fact.Flaw?
    var command: Shared<Command>?
    var hasForeignReceipt = false
    var erasedPurchases: [Timestamp] = []
}
