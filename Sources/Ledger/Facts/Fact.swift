import AppStore

/// What one event says: zero or one transaction snapshot, zero or one renewal snapshot, or an
/// operator's command; and a cause (`lifecycle.md` §1).
public struct Fact: Hashable, Sendable {
    /// Shared by copies: a fact is about a kilobyte, and reduction passes it on many times.
    @usableFromInline var box: FactBox

    /// Where the event stands in the log. Never used in reduction, only to name evidence.
    public var position: Int64 {
        _read { yield box.contents.position }
        set { change { $0.position = newValue } }
    }

    /// When the appended delivery arrived. Never used in reduction (`lifecycle.md` §2 rule 1).
    public var receivedAt: Timestamp {
        _read { yield box.contents.receivedAt }
        set { change { $0.receivedAt = newValue } }
    }

    /// Whether `receivedAt` is when it arrived. An import line that states no time counts as received
    /// when it was read, which says nothing of when it came.
    public var isArrivalKnown: Bool {
        _read { yield box.contents.isArrivalKnown }
        set { change { $0.isArrivalKnown = newValue } }
    }

    /// Whether the body came with a receipt of another app, of which nothing was used (`Ledger.docc`,
    /// Original StoreKit).
    public var hasForeignReceipt: Bool {
        _read { yield box.contents.hasForeignReceipt }
        set { change { $0.hasForeignReceipt = newValue } }
    }

    /// Milliseconds from signing to arrival; nil where either is unknown.
    public var lateness: Int64? {
        guard isArrivalKnown else { return nil }
        return signedDate.map { receivedAt.milliseconds(since: $0) }
    }

    /// What vouches for the evidence.
    public var trust: Trust {
        _read { yield box.contents.trust }
        set { change { $0.trust = newValue } }
    }

    /// What kind of event stated it.
    public var cause: Cause {
        _read { yield box.contents.cause }
        set { change { $0.cause = newValue } }
    }

    /// The fact's time: its envelope's `signedDate`, else the largest inside it. A fact without
    /// one changes nothing.
    public var signedDate: Timestamp? {
        _read { yield box.contents.signedDate }
        set { change { $0.signedDate = newValue } }
    }

    /// SHA-256 of the payload bytes (of a pair: the transaction's, the renewal's, then status).
    public var digest: Digest {
        _read { yield box.contents.digest }
        set { change { $0.digest = newValue } }
    }

    /// Apple's own status, as of `signedDate`.
    public var status: Raw<SubscriptionStatus>? {
        _read { yield box.contents.status }
        set { change { $0.status = newValue } }
    }

    /// The transaction as the event stated it: a copy. Loops read `statedTransaction`.
    public var transaction: TransactionSnapshot? {
        get { box.contents.transaction?.value }
        set { change { $0.transaction = newValue.map { Shared($0) } } }
    }

    /// The renewal info as the event stated it: a copy. Loops read `statedRenewal`.
    public var renewal: RenewalSnapshot? {
        get { box.contents.renewal?.value }
        set { change { $0.renewal = newValue.map { Shared($0) } } }
    }

    /// What an operator or a back end decided; then there is nothing of Apple's, and no signedDate.
    public var command: Command? {
        get { box.contents.command?.value }
        set { change { $0.command = newValue.map { Shared($0) } } }
    }

    /// The transaction where it is.
    @inlinable
    package var statedTransaction: Shared<TransactionSnapshot>? { box.contents.transaction }

    /// The renewal info where it is.
    @inlinable
    package var statedRenewal: Shared<RenewalSnapshot>? { box.contents.renewal }

    /// Wire names of enumerated fields whose value this version does not know.
    public var unknownValues: [String] {
        _read { yield box.contents.unknownValues }
        set { change { $0.unknownValues = newValue } }
    }

    /// Why this version cannot fold the fact; nil when it can.
    public var flaw: Flaw? {
        _read { yield box.contents.flaw }
        set { change { $0.flaw = newValue } }
    }

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

    /// As the other one, of snapshots that are shared already: nothing is copied.
    package init(
        position: Int64, receivedAt: Timestamp, isArrivalKnown: Bool, trust: Trust, cause: Cause,
        signedDate: Timestamp?, digest: Digest, status: Raw<SubscriptionStatus>?,
        sharing transaction: Shared<TransactionSnapshot>?,
        _ renewal: Shared<RenewalSnapshot>?, unknownValues: [String],
        flaw: Flaw?, command: Command?
    ) {
        box = FactBox(
            FactContents(
                position: position, receivedAt: receivedAt, isArrivalKnown: isArrivalKnown,
                trust: trust, cause: cause,
                signedDate: signedDate, digest: digest, status: status, transaction: transaction,
                renewal: renewal, unknownValues: unknownValues, flaw: flaw,
                command: command.map { Shared($0) }))
    }

    private mutating func change(_ body: (inout FactContents) -> Void) {
        var contents = box.contents
        body(&contents)
        box = FactBox(contents)
    }

    public static func == (left: Fact, right: Fact) -> Bool {
        left.box === right.box || left.box.contents == right.box.contents
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(box.contents) }

    /// The version of the translation from payloads to facts, and of the files that keep them. Stored
    /// facts of another version are discarded and decoded again from the evidence.
    public static let decoderVersion = 5
}

/// What kind of event a fact came from, in Apple's words where Apple has them.
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
    /// What the fact says, not how it is kept.
    public var customMirror: Mirror { Mirror(reflecting: box.contents) }
}

/// The values of a fact, in one place on the heap. Immutable, so copies share it.
@usableFromInline
final class FactBox: Sendable {
    @usableFromInline let contents: FactContents

    init(_ contents: FactContents) { self.contents = contents }
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
}
