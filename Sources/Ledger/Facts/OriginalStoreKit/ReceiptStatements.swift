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
        /// Newer statements about a transaction come first; later ones about it are dropped.
        var transactions: [TransactionSnapshot]
        var renewals: [(chain: OriginalTransactionId, renewal: RenewalSnapshot)] = []
        /// The notification's content and chain.
        var subject: Subject?
        /// Whether a receipt of another app came with it.
        var hasForeignReceipt = false
    }

    struct Subject {
        var chain: OriginalTransactionId
        /// The transaction concerned; nil for the chain's newest.
        var transactionId: TransactionId?
        var cause: Cause
        var unknownValues: [String]
    }

    init(_ content: Content, origin: FactOrigin, digest: (Int) -> Digest) {
        var kept: [TransactionSnapshot] = []
        var known: Set<TransactionId> = []
        for transaction in content.transactions.prefix(ReceiptStatements.maximumTransactions)
        where known.insert(transaction.transactionId).inserted {
            kept.append(transaction)
        }
        kept.sort(by: ReceiptStatements.precedes)
        var rest = kept[...]
        var chains: [(OriginalTransactionId, ArraySlice<TransactionSnapshot>)] = []
        while let chain = rest.first?.originalTransactionId {
            let end = rest.firstIndex { $0.originalTransactionId != chain } ?? rest.endIndex
            chains.append((chain, rest[..<end]))
            rest = rest[end...]
        }
        var named = Set(chains.map(\.0))
        let renewals = content.renewals.prefix(ReceiptStatements.maximumTransactions)
        for chain in renewals.map(\.chain) + [content.subject?.chain].compactMap({ $0 })
        where named.insert(chain).inserted { chains.append((chain, [])) }
        chains.sort { $0.0 < $1.0 }
        let renewed = Dictionary(grouping: renewals, by: \.chain)
        for (chain, transactions) in chains {
            let renewals = (renewed[chain] ?? []).map(\.renewal)
            add(chain, transactions, renewals, content, origin, digest)
        }
    }

    /// Adds the facts of one chain: its main transaction carries the renewal and the notification's
    /// content about this chain.
    private mutating func add(
        _ chain: OriginalTransactionId, _ transactions: ArraySlice<TransactionSnapshot>,
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
            subject?.unknownValues ?? [], content, origin, digest)
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

    /// Of several products' renewals, the one of the newest purchase.
    private static func renewal(
        _ renewals: [RenewalSnapshot], _ main: TransactionSnapshot?
    ) -> RenewalSnapshot? {
        renewals.first { $0.productId != nil && $0.productId == main?.productId } ?? renewals.first
    }

    /// The order of facts.
    private static func precedes(_ left: TransactionSnapshot, _ right: TransactionSnapshot) -> Bool
    {
        if left.originalTransactionId != right.originalTransactionId {
            return left.originalTransactionId < right.originalTransactionId
        }
        let (one, two) = (left.purchaseDate?.milliseconds, right.purchaseDate?.milliseconds)
        if one != two { return (one ?? .min) < (two ?? .min) }
        return left.transactionId < right.transactionId
    }
}
