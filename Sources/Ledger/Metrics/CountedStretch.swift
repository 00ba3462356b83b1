import AppStore

/// A stretch `[from, to)` of a chain's life in which nothing that metrics count changes: one
/// interval of the history with what its governing period says.
public struct CountedStretch: Hashable, Sendable {
    public var from: Timestamp
    /// Nil while it is open.
    public var to: Timestamp?
    public var state: ChainState
    public var values: DimensionValues
    /// The column of the chain's gain if it was not entitled before this stretch; nil if it was, or
    /// is not now.
    public var entry: Gain?
    /// Why access ended, for stretches that give none.
    public var reason: EndReason?
    /// Nil when neither catalogue nor payload tells.
    public var period: BillingPeriod?
    /// A year of the price in milliunits of `values.currency`; nil when price, currency or period
    /// is unknown.
    public var annualised: Int64?
    /// Position of the event that proves that the stretch began.
    public var cause: Int64

    /// Copies that came by family sharing or were assigned never count (`metrics.md`).
    public var isCounted: Bool {
        values.ownership != .familyShared && values.ownership != .assigned
    }

    /// In `subscribed`, `renewing` or `grace`, and counted.
    public var isActive: Bool { state.isEntitled && isCounted }

    /// Active, and the period is no trial.
    public var isPaid: Bool { isActive && values.phase != .trial }

    /// Active and free.
    public var isTrial: Bool { isActive && values.phase == .trial }
}

/// What a chain that begins to count is called: by the state just before, whatever its label
/// (`metrics.md`, "column of a gain"). Raw values are the contract's.
public enum Gain: String, Sendable, CaseIterable {
    /// Never entitled before.
    case new
    /// Never entitled before as far as is known, but the history before is missing: an adopted
    /// customer is not a new one.
    case appeared
    /// Won back: from `expired`, or from `revoked` by another purchase.
    case reactivated
    /// From `billingRetry`.
    case recovered
    /// From `revoked`, because the revocation was taken back.
    case reinstated
}
