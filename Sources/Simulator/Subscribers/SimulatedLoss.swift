/// Lost evidence, and the ledger's answer without it: `Lifecycle.md` still determines the answer,
/// though it may differ from what happened.
public struct SimulatedLoss: Hashable, Sendable {
    /// The kind of loss.
    public let kind: Kind
    /// Ordinals of the lost deliveries.
    public let dropped: Set<Int>
    /// The intervals that follow from the rest.
    public let truth: [TrueInterval]

    /// What was lost. One loss at a time: two could make the answer undetermined.
    public enum Kind: String, Sendable, CaseIterable {
        /// DID_FAIL_TO_RENEW before a recovery: the recovery itself implies the payment failure.
        case failureBeforeRecovery
        /// DID_FAIL_TO_RENEW before EXPIRED: over from the period's end.
        case failureBeforeExpiry
        /// DID_FAIL_TO_RENEW with grace, before a recovery with the anchor kept.
        case graceBeforeRecovery
        /// DID_FAIL_TO_RENEW with grace, while GRACE_PERIOD_EXPIRED arrived.
        case graceBeforeGraceExpired
        /// GRACE_PERIOD_EXPIRED: the stated date implies it.
        case graceExpired
        /// EXPIRED after a cancellation: the clock implies it.
        case expiredAfterEnd
        /// EXPIRED after billing retry: Apple's window ends it.
        case expiredAfterRetry
        /// EXPIRED after billing retry, when a later query returned status 2.
        case expiredAfterRetryThenAsked
        /// EXPIRED after a status change in grace or retry that stated status 2.
        case expiredAfterCancellation
        /// DID_RENEW, and with it a whole period.
        case renewal
        /// SUBSCRIBED, or an upgrade, and with it a whole period.
        case purchase
        /// Everything before a later period: adopted in mid-life.
        case beginning
        /// REFUND, when nothing later stated the transaction.
        case refund
        /// REFUND_REVERSED, when nothing later stated the transaction.
        case refundReversed
    }
}
