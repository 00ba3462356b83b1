import AppStore

/// A loss noted while the life is written, with the changes it makes to the truth.
struct LossRecord: Sendable {
    /// One change to the truth. Marks are identified by index.
    enum Edit: Sendable {
        case meaning(Int, TruthLine.Meaning, TrueReason?)
        case from(Int, Timestamp)
        case strike(Int)
        /// Moves the start of the mark's state, but not past the next mark.
        case postpone(Int, Timestamp, TrueReason?)
        /// Attributes the mark to another period, since its own is unknown.
        case attribute(Int, period: Int)
        /// Removes everything before this period.
        case forget(before: Int)
        case unrevoke(Int)
        /// Removes the reversal of the revocation.
        case reopen(Int)
    }

    /// What was lost. One loss at a time: two could make the answer undetermined.
    enum Kind: String, Sendable, CaseIterable {
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

    let kind: Kind
    /// Ordinals of the lost deliveries.
    let dropped: Set<Int>
    let edits: [Edit]
}

extension LifeWriter {
    /// Notes a loss of deliveries, by ordinal, with the changes that it makes to the truth.
    mutating func lose(
        _ kind: LossRecord.Kind, _ dropped: Set<Int>, _ edits: [LossRecord.Edit] = []
    ) {
        losses.append(LossRecord(kind: kind, dropped: dropped, edits: edits))
    }
}
