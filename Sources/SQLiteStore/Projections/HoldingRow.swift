internal import AppStore
internal import GRDB
internal import Ledger

/// What a chain means to one customer: stored by customer, so that a verdict needs one query.
struct HoldingRow: StoredRow {
    let customer: String
    let holds: Bool
    let body: [UInt8]

    static let table = "holdings"
    static let columns = ["customer", "holds", "body"]

    var values: [ColumnValue] { [.text(customer), ColumnValue(holds), .bytes(body)] }

    /// One row for each customer whom a fact of the chain ever named, in byte order; under a
    /// customer's own entry one row with their grants.
    static func rows(_ chain: ChainId, _ life: Lifecycle) -> [HoldingRow] {
        if let customer = chain.customer {
            return [
                HoldingRow(
                    customer: customer.rawValue, holds: false,
                    body: HoldingCodec.encode(Grant.grants(life.commands)))
            ]
        }
        guard !life.holders.named.isEmpty else { return [] }
        let last = life.holders.spans.last?.holders ?? []
        return life.holders.named.map { customer in
            let holding = life.holding(
                of: customer, chain: chain, limit: Holding.shortStretchCount)
            return HoldingRow(
                customer: customer.rawValue, holds: last.contains { $0.customer == customer },
                body: HoldingCodec.encode(holding))
        }
    }

    // MARK: Stored

    /// The rows of one chain, on a connection with the temporary table `held`, which is in chain
    /// order.
    static func rows(_ subscription: Int64, _ database: Database) throws -> [HoldingRow] {
        try database.rows(
            """
            SELECT customer, holds, body FROM held JOIN holdings USING (customer, subscription)
            WHERE held.subscription = ? ORDER BY customer
            """, subscription
        ) { row in
            HoldingRow(
                customer: row.requiredText(0), holds: row.int64(1) == 1, body: row.bytes(2))
        }
    }
}
