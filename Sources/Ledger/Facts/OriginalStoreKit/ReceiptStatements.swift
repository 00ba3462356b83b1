import AppStore

/// One body or receipt of original StoreKit, split into facts: one for each transaction it names,
/// ordered by chain, purchase and id, so that the same evidence gives the same facts
/// (`Lifecycle.md` §2).
public struct ReceiptStatements: Sendable {
    /// One statement and the chain it is about.
    public struct Part: Sendable {
        public let originalTransactionId: OriginalTransactionId
        public var fact: Fact
    }

    public private(set) var parts: [Part] = []

    /// Maximum transactions that one piece of evidence may name. A receipt of 4 MiB could hold this
    /// many; Apple's lists hold 100 in notifications, and everything ever bought in receipts.
    public static let maximumTransactions = 10_000

    /// The decoded content before it is split into parts.
    struct Content {
        var kind: EventKind
        /// The evidence's own time; nil if none is stated.
        var statedAt: Timestamp?
        /// One of each transactionId.
        var transactions: [TransactionSnapshot]
        var renewals: [(chain: OriginalTransactionId, renewal: RenewalSnapshot)]
        /// The notification's content and chain.
        var subject: Subject?
        /// Whether a receipt of another app came with it.
        var hasForeignReceipt = false

        init(
            _ kind: EventKind, statedAt: Timestamp?, _ transactions: [TransactionSnapshot],
            renewals: [(chain: OriginalTransactionId, renewal: RenewalSnapshot)] = []
        ) {
            self.kind = kind
            self.statedAt = statedAt
            self.transactions = ReceiptStatements.distinct(transactions)
            self.renewals = renewals
        }
    }

    struct Subject {
        var chain: OriginalTransactionId
        /// The transaction concerned; nil for the chain's newest.
        var transactionId: TransactionId?
        var cause: Cause
        var unknownValues: [String]
    }

    init(_ content: Content, origin: FactOrigin, digest: (Int) -> Digest) {
        let bought = Dictionary(grouping: content.transactions, by: \.originalTransactionId)
        let renewed = Dictionary(
            grouping: content.renewals.prefix(ReceiptStatements.maximumTransactions), by: \.chain)
        let subject = [content.subject?.chain].compactMap(\.self)
        for chain in Set(bought.keys).union(renewed.keys).union(subject).sorted() {
            add(
                chain, (bought[chain] ?? []).sorted(by: ReceiptStatements.precedes),
                (renewed[chain] ?? []).map(\.renewal), content, origin, digest)
        }
    }

    /// Adds the facts of one chain: its main transaction carries the renewal and the notification's
    /// content about this chain.
    private mutating func add(
        _ chain: OriginalTransactionId, _ transactions: [TransactionSnapshot],
        _ renewals: [RenewalSnapshot], _ content: Content, _ origin: FactOrigin,
        _ digest: (Int) -> Digest
    ) {
        let subject = content.subject.flatMap { $0.chain == chain ? $0 : nil }
        let main =
            transactions.first { $0.transactionId == subject?.transactionId } ?? transactions.last
        let renewal = ReceiptStatements.renewal(renewals, main)
        for transaction in transactions where transaction.transactionId != main?.transactionId {
            append(chain, transaction, nil, Cause(kind: content.kind), [], content, origin, digest)
        }
        guard main != nil || renewal != nil || subject != nil else { return }
        append(
            chain, main, renewal, subject?.cause ?? Cause(kind: content.kind),
            (subject?.unknownValues ?? [])
                + ReceiptStatements.unknownValues(transactions, renewal),
            content, origin, digest)
    }

    /// Enumerated values of a chain's purchases and renewal that this version does not know, with
    /// the names they have in signed payloads. The main fact states them for all: every receipt
    /// repeats every purchase.
    private static func unknownValues(
        _ transactions: [TransactionSnapshot], _ renewal: RenewalSnapshot?
    ) -> [String] {
        let values: [(name: String, isUnknown: Bool)] = [
            (
                "transaction.inAppOwnershipType",
                transactions.contains { isUnknown($0.inAppOwnershipType) }
            ),
            (
                "transaction.revocationReason",
                transactions.contains { isUnknown($0.revocationReason) }
            ),
            ("renewal.autoRenewStatus", isUnknown(renewal?.autoRenewStatus)),
            ("renewal.expirationIntent", isUnknown(renewal?.expirationIntent)),
            ("renewal.priceIncreaseStatus", isUnknown(renewal?.priceIncreaseStatus)),
        ]
        return values.filter(\.isUnknown).map(\.name)
    }

    private static func isUnknown<Value>(_ raw: Raw<Value>?) -> Bool {
        raw.map { $0.value == nil } ?? false
    }

    private mutating func append(
        _ chain: OriginalTransactionId, _ transaction: TransactionSnapshot?,
        _ renewal: RenewalSnapshot?, _ cause: Cause, _ unknownValues: [String],
        _ content: Content, _ origin: FactOrigin, _ digest: (Int) -> Digest
    ) {
        let isWhole = transaction.map { $0.purchaseDate != nil } ?? true
        let flaw: Fact.Flaw? =
            content.statedAt == nil ? .undated : isWhole ? nil : .incompleteTransaction
        var fact = Fact(
            position: origin.position, receivedAt: origin.receivedAt,
            isArrivalKnown: origin.isArrivalKnown, trust: origin.trust,
            cause: cause, signedDate: content.statedAt, digest: digest(parts.count),
            transaction: transaction, renewal: renewal, unknownValues: unknownValues, flaw: flaw)
        if content.hasForeignReceipt { fact.hasForeignReceipt = true }
        parts.append(Part(originalTransactionId: chain, fact: fact))
    }

    /// The best snapshot of each transaction (`Lifecycle.md` §2 rule 2): a list may repeat one.
    private static func distinct(_ transactions: [TransactionSnapshot]) -> [TransactionSnapshot] {
        var kept: [TransactionSnapshot] = []
        var places: [TransactionId: Int] = [:]
        for transaction in transactions.prefix(maximumTransactions) {
            guard let place = places[transaction.transactionId] else {
                places[transaction.transactionId] = kept.count
                kept.append(transaction)
                continue
            }
            if isWorse(kept[place], transaction) { kept[place] = transaction }
        }
        return kept
    }

    /// Without a date of its own, a snapshot has that of the whole evidence, which is the latest.
    /// The parts of one body have no digests of their own: their content decides last.
    private static func isWorse(_ left: TransactionSnapshot, _ right: TransactionSnapshot) -> Bool {
        let keys = [left, right].map { (snapshot) -> [Int64] in
            [
                snapshot.signedDate?.milliseconds ?? .max,
                snapshot.revocationDate == nil ? 0 : 1,
                snapshot.expiresDate?.milliseconds ?? .min,
                // No member of a payload.
                snapshot.isTrialPeriod.map { $0 ? 1 : 0 } ?? -1,
            ]
        }
        if keys[0] != keys[1] { return keys[0].lexicographicallyPrecedes(keys[1]) }
        return TransactionPayload(left).encoded()
            .lexicographicallyPrecedes(TransactionPayload(right).encoded())
    }

    /// Of several renewals, that of the newest purchase's product; of those left, one by content.
    static func renewal(
        _ renewals: [RenewalSnapshot], _ main: TransactionSnapshot?
    ) -> RenewalSnapshot? {
        let own = renewals.filter { $0.productId != nil && $0.productId == main?.productId }
        let left = own.isEmpty ? renewals : own
        guard left.count > 1 else { return left.first }
        return left.max {
            RenewalPayload($0).encoded().lexicographicallyPrecedes(RenewalPayload($1).encoded())
        }
    }

    /// The order of the facts of a chain.
    static func precedes(_ left: TransactionSnapshot, _ right: TransactionSnapshot) -> Bool {
        let (one, two) = (left.bought?.milliseconds, right.bought?.milliseconds)
        if one != two { return (one ?? .min) < (two ?? .min) }
        return left.transactionId < right.transactionId
    }
}
