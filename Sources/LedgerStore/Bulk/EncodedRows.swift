internal import AppStore
internal import Ledger

/// Rows of chains as bytes, on their way from the cores that fold to the one that writes: there,
/// SQLite reads texts where they lie, and nothing is copied or counted.
public struct EncodedRows: Sendable {
    /// The number that the first chain gets; the others count on from there.
    let firstSubscription: Int64
    private(set) var chainCount: Int64 = 0
    private(set) var subscriptions = RowBytes()
    private(set) var intervals = RowBytes()
    private(set) var lifeFacts = RowBytes()
    private(set) var notices = RowBytes()
    /// Chains and first positions by transactionId: kept apart, since they are ordered otherwise.
    private(set) var transactions = RunBuffer()
    /// What chains mean to customers, by customer.
    private(set) var holdings = RunBuffer()
    /// Reused from record to record.
    private var (key, value): ([UInt8], [UInt8]) = ([], [])

    /// No rows yet: the chains to come are numbered from `firstSubscription` on.
    public init(firstSubscription: Int64) { self.firstSubscription = firstSubscription }

    /// Adds the rows of the next chain.
    public mutating func append(_ rows: ChainRows) {
        let subscription = firstSubscription + chainCount
        chainCount += 1
        subscriptions.beginRow()
        subscriptions.bind(1, subscription)
        subscriptions.bind(2, rows.chain.originalTransactionId.rawValue)
        subscriptions.bind(3, rows.chain.bundleId.rawValue)
        rows.subscription.bind(&subscriptions)
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
    /// Rows behind the key (subscription, seq).
    fileprivate mutating func append<Row: StoredRow>(_ rows: [Row], of subscription: Int64) {
        for (seq, row) in rows.enumerated() {
            beginRow()
            bind(1, subscription)
            bind(2, Int64(seq))
            row.bind(&self)
        }
    }
}
