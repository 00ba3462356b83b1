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
    /// Movements that only the clock brings about, by time.
    private(set) var pending = RunBuffer()
    /// The sums of these chains, added to those of earlier pages.
    private(set) var sums: MovementCollector?
    /// When Apple signed the newest fact.
    private(set) var signedAt: Int64?
    private let pool: MovementPool
    /// Reused from record to record.
    private var (key, value): ([UInt8], [UInt8]) = ([], [])

    /// Creates an empty page whose chains are numbered from `firstSubscription` on.
    ///
    /// - Parameter pool: receives the sums when the rows are `finish`ed.
    public init(firstSubscription: Int64, pool: MovementPool) {
        self.firstSubscription = firstSubscription
        self.pool = pool
        sums = pool.take()
    }

    /// Ends the page.
    public mutating func finish() {
        guard let whole = sums.take() else { return }
        pool.give(whole)
    }

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
        appendContribution(rows, of: subscription)
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

    private mutating func appendContribution(_ rows: ChainRows, of subscription: Int64) {
        guard let row = rows.contribution else { return }
        contributions.beginRow()
        contributions.bind(1, subscription)
        row.bind(&contributions)
        if let date = row.signedAt { signedAt = max(signedAt ?? date, date) }
        for named in rows.reported.classes { sums?.add(named) }
        for (seq, movement) in rows.reported.movements.enumerated() {
            sums?.add(movement)
            guard movement.at > row.signedAt ?? .min else { continue }
            pending.appendPending(movement, of: subscription, seq: seq)
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
            row.bind(&self)
        }
    }
}
