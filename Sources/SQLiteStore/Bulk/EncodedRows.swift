internal import AppStore
internal import Ledger

/// Rows of chains encoded as bytes, passed from the folding cores to the writing one: SQLite reads
/// texts in place, without copies or reference counting.
public struct EncodedRows: Sendable {
    /// The number of the first chain; the following chains are numbered consecutively.
    let firstSubscription: Int64
    private(set) var chainCount: Int64 = 0
    private(set) var subscriptions = RowBytes()
    private(set) var intervals = RowBytes()
    private(set) var lifeFacts = RowBytes()
    private(set) var notices = RowBytes()
    /// Chains and first positions by transactionId: separate, since they have a different order.
    private(set) var transactions = RunBuffer()
    /// Holdings of the chains, by customer.
    private(set) var holdings = RunBuffer()
    private(set) var contributions = RowBytes()
    /// The movements of each chain that has a contribution.
    private(set) var movements: [Movements] = []
    /// Reused from record to record.
    private var (key, value): ([UInt8], [UInt8]) = ([], [])

    struct Movements: Sendable {
        let subscription: Int64
        let reported: ChainMovements
        /// When Apple signed the newest fact.
        let signedAt: Int64?
    }

    /// Creates an empty page whose chains are numbered from `firstSubscription` on.
    public init(firstSubscription: Int64) { self.firstSubscription = firstSubscription }

    /// Adds the rows of the next chain.
    public mutating func append(_ rows: ChainRows) {
        let subscription = firstSubscription + chainCount
        chainCount += 1
        subscriptions.beginRow()
        subscriptions.bind(1, subscription)
        subscriptions.bind(2, rows.chain.originalTransactionId.rawValue)
        subscriptions.bind(3, rows.chain.bundleId.rawValue)
        rows.subscription.bind(&subscriptions, from: 4)
        intervals.append(rows.intervals, of: subscription)
        lifeFacts.append(rows.lifeFacts, of: subscription)
        notices.append(rows.notices, of: subscription)
        for row in rows.transactions {
            key.removeAll(keepingCapacity: true)
            value.removeAll(keepingCapacity: true)
            RunKey.append(row.transactionId, to: &key)
            RunKey.append(subscription, to: &key)
            RunKey.append(row.firstPosition, to: &value)
            transactions.append(key: key, value: value)
        }
        if let row = rows.contribution {
            contributions.beginRow()
            contributions.bind(1, subscription)
            row.bind(&contributions, from: 2)
            movements.append(
                Movements(
                    subscription: subscription, reported: rows.reported, signedAt: row.signedAt))
        }
        for row in rows.holdings {
            key.removeAll(keepingCapacity: true)
            value.removeAll(keepingCapacity: true)
            RunKey.append(row.customer, to: &key)
            RunKey.append(subscription, to: &key)
            RunKey.append(row.holds ? 1 : 0, to: &value)
            value.append(contentsOf: row.body)
            holdings.append(key: key, value: value)
        }
    }
}

extension RowBytes {
    /// Appends rows with the key (subscription, seq).
    fileprivate mutating func append<Row: StoredRow>(_ rows: [Row], of subscription: Int64) {
        for (seq, row) in rows.enumerated() {
            beginRow()
            bind(1, subscription)
            bind(2, Int64(seq))
            row.bind(&self, from: 3)
        }
    }
}
