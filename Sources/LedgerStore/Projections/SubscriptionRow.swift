internal import AppStore
internal import Ledger

/// A chain's own row: what is known last, independent of the clock.
struct SubscriptionRow: Hashable, Sendable {
    let kind: String?
    let startedAt: Int64?
    let productId: String?
    let transactionId: String?
    let group: String?
    let phase: String?
    let ownership: String?
    let appAccountToken: String?
    let price: Int64?
    let currency: String?
    let storefront: String?
    let willRenew: Bool?
    let nextProductId: String?
    let facts: Int64
    let lastPosition: Int64

    static let columns = [
        "kind", "started_at", "product_id", "transaction_id", "subscription_group", "phase",
        "ownership", "app_account_token", "price_milliunits", "currency", "storefront",
        "will_renew", "next_product_id", "facts", "last_position",
    ]

    init(_ life: Lifecycle, facts: [Fact]) {
        // The end of time: then everything known is known.
        let end = Timestamp(milliseconds: .max - 1)
        let answer = life.answer(at: end, now: Timestamp(milliseconds: .max))
        kind = answer == nil ? nil : life.isOneTime ? "oneTime" : "subscription"
        startedAt = life.intervals.first?.from.milliseconds
        productId = answer?.productId?.rawValue
        transactionId = answer?.transactionId.rawValue
        group = answer?.subscriptionGroupIdentifier?.rawValue
        phase = answer?.phase.rawValue
        ownership = answer?.ownership.rawValue
        appAccountToken = answer?.appAccountToken
        price = answer?.price?.milliunits
        currency = answer?.price?.currency
        storefront = answer?.storefront
        willRenew = answer?.willRenew
        nextProductId = answer?.nextProductId?.rawValue
        self.facts = Int64(facts.count)
        lastPosition = facts.map(\.position).max() ?? 0
    }

    /// Reads the columns, the first at column 1.
    init(_ statement: BoundStatement) {
        kind = statement.text(1)
        startedAt = statement.optionalInt64(2)
        productId = statement.text(3)
        transactionId = statement.text(4)
        group = statement.text(5)
        phase = statement.text(6)
        ownership = statement.text(7)
        appAccountToken = statement.text(8)
        price = statement.optionalInt64(9)
        currency = statement.text(10)
        storefront = statement.text(11)
        willRenew = statement.optionalInt64(12).map { $0 == 1 }
        nextProductId = statement.text(13)
        facts = statement.int64(14)
        lastPosition = statement.int64(15)
    }

    /// Binds the columns in order, from parameter `first` on.
    func bind(_ statement: inout some ColumnSink, first: Int32) {
        statement.bind(first, kind)
        statement.bind(first + 1, startedAt)
        statement.bind(first + 2, productId)
        statement.bind(first + 3, transactionId)
        statement.bind(first + 4, group)
        statement.bind(first + 5, phase)
        statement.bind(first + 6, ownership)
        statement.bind(first + 7, appAccountToken)
        statement.bind(first + 8, price)
        statement.bind(first + 9, currency)
        statement.bind(first + 10, storefront)
        statement.bind(first + 11, willRenew.map { $0 ? Int64(1) : 0 })
        statement.bind(first + 12, nextProductId)
        statement.bind(first + 13, facts)
        statement.bind(first + 14, lastPosition)
    }

    /// Each column's value as text, for naming what differs.
    var values: [(name: String, value: String?)] {
        let values: [String?] = [
            kind, startedAt.map(String.init), productId, transactionId, group, phase, ownership,
            appAccountToken, price.map(String.init), currency, storefront,
            willRenew.map(String.init), nextProductId, String(facts), String(lastPosition),
        ]
        return zip(SubscriptionRow.columns, values).map { (name: $0, value: $1) }
    }
}
