import AppStore

/// A stretch of valid time in which a transaction is revoked (`Lifecycle.md` §2 rule 3).
struct RevocationSpan: HalfOpen, Sendable {
    let from: Timestamp
    /// Nil while the revocation is in force.
    var to: Timestamp?
    /// The fact that stated the revocation.
    let opener: Int
    /// The fact that reversed it.
    var closer: Int?
    /// The fact that states the withdrawal of a family copy: by FAMILY_REVOKE, or by a REVOKE with
    /// this date. Before 2025-12 only the notification type states it, not the payload.
    let familyRevokeFact: Int?

    var isFamilyRevoke: Bool { familyRevokeFact != nil }
}
