internal import AppStore
internal import GRDB
internal import Ledger

/// A row of a chain that is stored under a key of two columns.
protocol ProjectionRow: StoredRow {
    /// `subscription, seq` by default: the chain and the row's index in it.
    static var key: [String] { get }
    /// - Parameter values: one for each column, in order.
    init(values: [ColumnValue])
}

extension ProjectionRow {
    static var key: [String] { ["subscription", "seq"] }

    /// The statement that inserts a row with key and columns.
    static func insert(orReplacing replaces: Bool = false) -> String {
        """
        INSERT\(replaces ? " OR REPLACE" : "") INTO \(table) (\((key + columns).joined(separator: ", ")))
        VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))
        """
    }

    /// Reads the columns, the first at column 0.
    init(_ statement: PreparedStatement) {
        self.init(values: Self.columns.indices.map { statement.value(Int32($0)) })
    }
}

struct IntervalRow: ProjectionRow {
    let values: [ColumnValue]

    static let table = "intervals"
    static let columns = [
        "state", "from_at", "to_at", "product_id", "transaction_id", "reason", "cause",
    ]
}

extension IntervalRow {
    init(_ interval: Interval, cause: Int64) {
        self.init(values: [
            ColumnValue(interval.state.rawValue), ColumnValue(interval.from.milliseconds),
            ColumnValue(interval.to?.milliseconds), ColumnValue(interval.productId?.rawValue),
            ColumnValue(interval.transactionId.rawValue), ColumnValue(interval.reason?.rawValue),
            ColumnValue(cause),
        ])
    }
}

struct TimelineEventRow: ProjectionRow {
    let values: [ColumnValue]

    static let table = "life_facts"
    static let columns = ["at", "fact", "product_id", "transaction_id", "cause"]
}

extension TimelineEventRow {
    init(_ fact: TimelineEvent) {
        self.init(values: [
            ColumnValue(fact.at.milliseconds), ColumnValue(fact.name.rawValue),
            ColumnValue(fact.productId?.rawValue), ColumnValue(fact.transactionId?.rawValue),
            ColumnValue(fact.cause),
        ])
    }
}

struct NoticeRow: ProjectionRow {
    let values: [ColumnValue]

    static let table = "notices"
    static let columns = ["code", "message", "from_at", "to_at", "evidence"]
}

extension NoticeRow {
    init(_ notice: Notice) {
        self.init(values: [
            ColumnValue(notice.code.rawValue), ColumnValue(notice.message),
            ColumnValue(notice.from.milliseconds), ColumnValue(notice.to?.milliseconds),
            ColumnValue("[" + notice.evidence.map(String.init).joined(separator: ",") + "]"),
        ])
    }
}

/// A chain's own row: its latest known attributes, independent of the clock.
struct SubscriptionRow: ProjectionRow {
    let values: [ColumnValue]

    static let table = "subscriptions"
    static let key = ["original_transaction_id", "bundle_id"]
    static let columns = [
        "kind", "started_at", "product_id", "transaction_id", "subscription_group", "phase",
        "ownership", "app_account_token", "price_milliunits", "currency", "storefront",
        "will_renew", "next_product_id", "meets_minimum_trust", "facts", "last_position",
    ]
}

extension SubscriptionRow {
    init(_ life: Lifecycle, facts: [Fact]) {
        // At the end of time all facts apply.
        let end = Timestamp(milliseconds: .max - 1)
        let answer = life.answer(at: end, now: Timestamp(milliseconds: .max))
        self.init(values: [
            ColumnValue(answer.map { _ in life.isOneTime ? "oneTime" : "subscription" }),
            ColumnValue(life.intervals.first?.from.milliseconds),
            ColumnValue(answer?.productId?.rawValue),
            ColumnValue(answer?.transactionId.rawValue),
            ColumnValue(answer?.subscriptionGroupIdentifier?.rawValue),
            ColumnValue(answer?.phase.rawValue), ColumnValue(answer?.ownership.rawValue),
            ColumnValue(answer?.appAccountToken), ColumnValue(answer?.price?.milliunits),
            ColumnValue(answer?.price?.currency), ColumnValue(answer?.storefront),
            ColumnValue(answer?.willRenew), ColumnValue(answer?.nextProductId?.rawValue),
            ColumnValue(life.meetsMinimumTrust), ColumnValue(Int64(facts.count)),
            ColumnValue(facts.reduce(0) { max($0, $1.position) }),
        ])
    }
}
