import AppStore

/// The outcome of a retention message (`Contract.md`, metrics retention-offers).
public enum RetentionResult: String, Sendable, CaseIterable {
    /// In a period again after the end of the one in which the customer was asked.
    case kept
    /// In another state then.
    case lost
    /// Not known yet.
    case open
}

extension Lifecycle {
    /// The result, as known now, of a message shown at `time`; `open` where nothing is known of
    /// that time, and for a one-time purchase.
    ///
    /// - Parameters:
    ///   - time: when the message was shown.
    ///   - now: the time of the question.
    ///   - leeway: how long an overdue renewal may still arrive, milliseconds (`Lifecycle.md` §6).
    public func retentionResult(
        ofMessageAt time: Timestamp, now: Timestamp, leeway: Int64
    ) -> RetentionResult {
        guard !isOneTime, let asked = history.interval(at: time) else { return .open }
        let period = history.intervals[asked].period
        // A revocation that this period's time follows was reversed, and did not end the period.
        let last = history.intervals[asked...].prefix { $0.period == period }
            .lastIndex { $0.state != .revoked && $0.state != .expired }
        // Grace and billing retry decide nothing: Apple is still trying to renew.
        let decided = history.intervals[(last.map { $0 + 1 } ?? asked)...].first {
            $0.state != .grace && $0.state != .billingRetry
        }
        guard let decided, decided.from <= now else { return .open }
        if decided.reason == .unconfirmed,
            now < decided.from.advanced(byMilliseconds: leeway)
        {
            return .open
        }
        return decided.state.isInPeriod ? .kept : .lost
    }
}
