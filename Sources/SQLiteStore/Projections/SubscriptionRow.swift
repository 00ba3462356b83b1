internal import AppStore
internal import Ledger

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
