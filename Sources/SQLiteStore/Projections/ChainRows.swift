public import AppStore
public import Ledger

/// All projected rows of one chain: a pure function of its facts and the catalogue.
public struct ChainRows: Sendable {
    public let chain: ChainId
    let subscription: SubscriptionRow
    let intervals: [IntervalRow]
    let timelineEvents: [TimelineEventRow]
    let notices: [NoticeRow]
    /// Every transactionId of the chain, with the first position that stated it.
    let transactions: [TransactionRow]
    /// Every webOrderLineItemId of the chain, likewise.
    let orderLines: [OrderLineRow]
    /// One row for each customer whom a fact of the chain ever named, in byte order.
    let holdings: [HoldingRow]
    /// The chain's contribution to the sums of metrics; nil for rows kept under a customer's id.
    let contribution: ContributionRow?
    /// The decoded contribution, if it was computed here; not part of the rows.
    var reported = ChainMovements()
    /// Tables in which rows follow a gap in `seq`: readers of a chain's rows return them, but no
    /// chain has such rows.
    var misplaced: [String] = []

    struct TransactionRow: StatedIdRow {
        let id: String
        let firstPosition: Int64

        static let table = "transactions"
        static let columns = ["transaction_id", "first_position"]
    }

    struct OrderLineRow: StatedIdRow {
        let id: String
        let firstPosition: Int64

        static let table = "order_lines"
        static let columns = ["web_order_line_item_id", "first_position"]
    }
}

extension ChainRows {
    /// - `numbers`: a cache of class numbers; its contents do not affect the result. Nil
    ///   leaves out the contribution, to measure its cost.
    public init(
        _ chain: ChainId, facts: [Fact], environment: Environment, catalogue: Catalogue,
        numbers: ClassNumbers? = ClassNumbers()
    ) {
        let life = Lifecycle(facts, environment: environment, catalogue: catalogue)
        let (transactions, orderLines) = ChainRows.ids(facts)
        var contribution: ContributionRow?
        var reported = ChainMovements()
        if let numbers, chain.customer == nil {
            contribution = ContributionRow(
                chain, life, facts: facts, catalogue: catalogue, numbers: numbers,
                reported: &reported)
        }
        self.init(
            chain: chain, subscription: SubscriptionRow(life, facts: facts),
            intervals: life.intervals.map { IntervalRow($0, cause: life.cause(of: $0)) },
            timelineEvents: life.timelineEvents.map { TimelineEventRow($0) },
            notices: life.notices.map { NoticeRow($0) }, transactions: transactions,
            orderLines: orderLines, holdings: HoldingRow.rows(chain, life),
            contribution: contribution, reported: reported)
    }

    private static func ids(_ facts: [Fact]) -> ([TransactionRow], [OrderLineRow]) {
        var transactions = StatedIds<TransactionTag>(capacity: facts.count)
        var orderLines = StatedIds<WebOrderLineItemTag>(capacity: facts.count)
        for fact in facts {
            guard let stated = fact.statedTransaction else { continue }
            transactions.add(stated.transactionId, at: fact.position)
            // "0" is Apple's for none.
            if let line = stated.webOrderLineItemId, line.rawValue != "0" {
                orderLines.add(line, at: fact.position)
            }
        }
        return (transactions.rows(), orderLines.rows())
    }

    /// The differences from `other`: columns as `table.column`, and a table name alone when it
    /// holds more or fewer rows, or misplaced ones.
    public func differences(from other: ChainRows) -> [String] {
        let found = differencesInPlace(from: other)
        return found + (misplaced + other.misplaced).filter { !found.contains($0) }
    }

    private func differencesInPlace(from other: ChainRows) -> [String] {
        SubscriptionRow.differences([subscription], [other.subscription])
            + IntervalRow.differences(intervals, other.intervals)
            + TimelineEventRow.differences(timelineEvents, other.timelineEvents)
            + NoticeRow.differences(notices, other.notices)
            + TransactionRow.differences(transactions, other.transactions)
            + OrderLineRow.differences(orderLines, other.orderLines)
            + HoldingRow.differences(holdings, other.holdings)
            + ContributionRow.differences(
                [contribution].compactMap(\.self), [other.contribution].compactMap(\.self))
    }
}

extension ChainRows: Equatable {
    /// Whether the same rows would be stored.
    public static func == (left: ChainRows, right: ChainRows) -> Bool {
        left.chain == right.chain && left.misplaced == right.misplaced
            && left.differencesInPlace(from: right).isEmpty
    }
}

/// A row of an id that facts of a chain stated.
protocol StatedIdRow: StoredRow {
    /// In the first column.
    var id: String { get }
    /// Position of the first event that stated it.
    var firstPosition: Int64 { get }

    init(id: String, firstPosition: Int64)
}

extension StatedIdRow {
    var values: [ColumnValue] { [.text(id), .integer(firstPosition)] }
}

/// Ids as the facts of a chain state them.
private struct StatedIds<Tag> {
    private var stated: [(id: Identifier<Tag>, position: Int64)] = []
    private var isOrdered = true

    init(capacity: Int) { stated.reserveCapacity(capacity) }

    mutating func add(_ id: Identifier<Tag>, at position: Int64) {
        let last = stated.count - 1
        // Most facts state the same ids as the previous one.
        if last >= 0, stated[last].id == id {
            stated[last].position = min(stated[last].position, position)
            return
        }
        if last >= 0, isOrdered, id < stated[last].id { isOrdered = false }
        stated.append((id, position))
    }

    /// Every id in byte order, each once, with the first position that stated it.
    func rows<Row: StatedIdRow>() -> [Row] {
        var stated = stated
        if !isOrdered { stated.sort { ($0.id, $0.position) < ($1.id, $1.position) } }
        var rows: [Row] = []
        rows.reserveCapacity(stated.count)
        for index in stated.indices where index == 0 || stated[index - 1].id != stated[index].id {
            rows.append(
                Row(id: stated[index].id.rawValue, firstPosition: stated[index].position))
        }
        return rows
    }
}
