import AppStore

/// A stretch of valid time in which a transaction is revoked (`Lifecycle.md` §2 rule 3).
struct RevocationSpan: HalfOpen, Sendable {
    let from: Timestamp
    /// Nil while the revocation is in force.
    var to: Timestamp?
    /// The fact that stated the revocation.
    let opener: Int
    /// When it was last stated.
    var lastStated: Timestamp
    /// The fact that reversed it.
    var closer: Int?
    /// `refund`, `familyRevoke`, or `other` for an assigned copy.
    let reason: EndReason
    /// The fact that states a reason other than a refund. Before 2025-12 payloads have no
    /// revocationType; the notification type or the ownership states a family revoke.
    let reasonFact: Int?

    var isRefund: Bool { reason == .refund }

    /// Whether it is a refund in force just before a time: made by then, and not reversed.
    func isRefund(before limit: Timestamp) -> Bool {
        isRefund && from < limit && (to.map { $0 >= limit } ?? true)
    }
}
