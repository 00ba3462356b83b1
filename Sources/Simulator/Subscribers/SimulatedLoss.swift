/// Evidence that never arrived, and what the ledger then has to say: `lifecycle.md` decides the
/// answer all the same, though it may not be what happened.
public struct SimulatedLoss: Hashable, Sendable {
    /// What was lost.
    public let kind: Kind
    /// Ordinals of the deliveries that are lost.
    public let dropped: Set<Int>
    /// The intervals that follow from the rest.
    public let truth: [TrueInterval]

    /// What was lost. One loss at a time: two may leave nothing to decide by.
    public enum Kind: String, Sendable, CaseIterable {
        /// DID_FAIL_TO_RENEW before a recovery: the recovery itself says that payment had failed.
        case failureBeforeRecovery
        /// DID_FAIL_TO_RENEW before EXPIRED: over from the period's end.
        case failureBeforeExpiry
        /// DID_FAIL_TO_RENEW with grace, before a recovery with the anchor kept.
        case graceBeforeRecovery
        /// DID_FAIL_TO_RENEW with grace, while GRACE_PERIOD_EXPIRED arrived.
        case graceBeforeGraceExpired
        /// GRACE_PERIOD_EXPIRED: the stated date says it.
        case graceExpired
        /// EXPIRED after a cancellation: the clock says it.
        case expiredAfterEnd
        /// EXPIRED after billing retry: Apple's window ends it.
        case expiredAfterRetry
        /// EXPIRED after billing retry, when a later query said status 2.
        case expiredAfterRetryThenAsked
        /// EXPIRED after a status change in grace or retry had said status 2.
        case expiredAfterCancellation
        /// DID_RENEW and with it a whole period.
        case renewal
        /// SUBSCRIBED, or an upgrade, and with it a whole period.
        case purchase
        /// Everything before a later period: adopted in mid-life.
        case beginning
        /// REFUND, and nothing later stated the transaction.
        case refund
        /// REFUND_REVERSED, and nothing later stated the transaction.
        case refundReversed
    }
}
