internal import AppStore
internal import Ledger

/// A chain's own row: its latest known attributes, independent of the clock.
struct SubscriptionRow: ProjectionRow {
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
    let meetsMinimumTrust: Bool
    let facts: Int64
    let lastPosition: Int64

    static let table = "subscriptions"
    static let key = ["original_transaction_id", "bundle_id"]
    static let columns = [
        "kind", "started_at", "product_id", "transaction_id", "subscription_group", "phase",
        "ownership", "app_account_token", "price_milliunits", "currency", "storefront",
        "will_renew", "next_product_id", "meets_minimum_trust", "facts", "last_position",
    ]

    init(_ life: Lifecycle, facts: [Fact]) {
        // At the end of time all facts apply.
        let end = Timestamp(milliseconds: .max - 1)
        startedAt = life.intervals.first?.from.milliseconds
        meetsMinimumTrust = life.meetsMinimumTrust
        self.facts = Int64(facts.count)
        lastPosition = facts.reduce(0) { max($0, $1.position) }
        guard let answer = life.answer(at: end, now: Timestamp(milliseconds: .max)) else {
            (kind, productId, transactionId, group) = (nil, nil, nil, nil)
            (phase, ownership, appAccountToken) = (nil, nil, nil)
            (price, currency, storefront, willRenew, nextProductId) = (nil, nil, nil, nil, nil)
            return
        }
        kind = life.isOneTime ? "oneTime" : "subscription"
        productId = answer.productId?.rawValue
        transactionId = answer.transactionId.rawValue
        group = answer.subscriptionGroupIdentifier?.rawValue
        phase = answer.phase.rawValue
        ownership = answer.ownership.rawValue
        appAccountToken = answer.appAccountToken
        price = answer.price?.milliunits
        currency = answer.price?.currency
        storefront = answer.storefront
        willRenew = answer.willRenew
        nextProductId = answer.nextProductId?.rawValue
    }

    init(_ statement: PreparedStatement) {
        kind = statement.text(0)
        startedAt = statement.optionalInt64(1)
        productId = statement.text(2)
        transactionId = statement.text(3)
        group = statement.text(4)
        phase = statement.text(5)
        ownership = statement.text(6)
        appAccountToken = statement.text(7)
        price = statement.optionalInt64(8)
        currency = statement.text(9)
        storefront = statement.text(10)
        willRenew = statement.optionalInt64(11).map { $0 == 1 }
        nextProductId = statement.text(12)
        meetsMinimumTrust = statement.int64(13) == 1
        facts = statement.int64(14)
        lastPosition = statement.int64(15)
    }

    func bind(_ statement: inout some ColumnSink) {
        statement.bind(3, kind)
        statement.bind(4, startedAt)
        statement.bind(5, productId)
        statement.bind(6, transactionId)
        statement.bind(7, group)
        statement.bind(8, phase)
        statement.bind(9, ownership)
        statement.bind(10, appAccountToken)
        statement.bind(11, price)
        statement.bind(12, currency)
        statement.bind(13, storefront)
        statement.bind(14, willRenew.map { $0 ? Int64(1) : 0 })
        statement.bind(15, nextProductId)
        statement.bind(16, meetsMinimumTrust ? Int64(1) : 0)
        statement.bind(17, facts)
        statement.bind(18, lastPosition)
    }
}
