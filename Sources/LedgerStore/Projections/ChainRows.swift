public import AppStore
public import Ledger

/// Everything the projections hold of one chain: a pure function of its facts and the catalogue.
public struct ChainRows: Equatable, Sendable {
    public let chain: ChainId
    let subscription: SubscriptionRow
    let intervals: [IntervalRow]
    let lifeFacts: [LifeFactRow]
    let notices: [NoticeRow]
    /// Every transactionId of the chain, with the first position that stated it.
    let transactions: [TransactionRow]
    /// Everybody whom a fact of the chain ever named, in byte order.
    let holdings: [HoldingRow]

    struct TransactionRow: StoredRow {
        let transactionId: String
        let firstPosition: Int64

        static let table = "transactions"
        static let columns = ["transaction_id", "first_position"]

        func bind(_ statement: inout some ColumnSink) {
            statement.bind(1, transactionId)
            statement.bind(2, firstPosition)
        }
    }

    init(
        chain: ChainId, subscription: SubscriptionRow, intervals: [IntervalRow],
        lifeFacts: [LifeFactRow], notices: [NoticeRow], transactions: [TransactionRow],
        holdings: [HoldingRow]
    ) {
        self.chain = chain
        self.subscription = subscription
        self.intervals = intervals
        self.lifeFacts = lifeFacts
        self.notices = notices
        self.transactions = transactions
        self.holdings = holdings
    }

    public init(
        _ chain: ChainId, facts: [Fact], environment: Environment, catalogue: Catalogue
    ) {
        let life = Lifecycle(facts, environment: environment, catalogue: catalogue)
        self.chain = chain
        subscription = SubscriptionRow(life, facts: facts)
        intervals = life.intervals.map { IntervalRow($0, cause: life.cause(of: $0)) }
        lifeFacts = life.lifeFacts.map { LifeFactRow($0) }
        notices = life.notices.map { NoticeRow($0) }
        transactions = ChainRows.transactions(facts)
        holdings = HoldingRow.rows(chain, life)
    }

    /// Every transactionId in byte order, each once, with the first position that stated it.
    private static func transactions(_ facts: [Fact]) -> [TransactionRow] {
        var stated: [(id: TransactionId, position: Int64)] = []
        stated.reserveCapacity(facts.count)
        for fact in facts {
            guard let id = fact.statedTransaction?.transactionId else { continue }
            stated.append((id, fact.position))
        }
        stated.sort { ($0.id, $0.position) < ($1.id, $1.position) }
        var rows: [TransactionRow] = []
        var last: TransactionId?
        for (id, position) in stated where last != id {
            last = id
            rows.append(TransactionRow(transactionId: id.rawValue, firstPosition: position))
        }
        return rows
    }

    /// Where these rows differ from `other`: columns as `table.column`, and the name of a table
    /// alone when it holds more rows, or fewer.
    public func differences(from other: ChainRows) -> [String] {
        SubscriptionRow.differences([subscription], [other.subscription])
            + IntervalRow.differences(intervals, other.intervals)
            + LifeFactRow.differences(lifeFacts, other.lifeFacts)
            + NoticeRow.differences(notices, other.notices)
            + TransactionRow.differences(transactions, other.transactions)
            + HoldingRow.differences(holdings, other.holdings)
    }
}
