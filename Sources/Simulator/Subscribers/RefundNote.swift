/// A refund, identified by its deliveries.
struct RefundNote: Sendable {
    let period: Int
    let refund: Int
    var reversal: Int?
}
