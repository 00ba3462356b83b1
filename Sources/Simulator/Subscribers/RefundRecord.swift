/// A refund, identified by its deliveries.
struct RefundRecord: Sendable {
    let period: Int
    let refund: Int
    var reversal: Int?
}
