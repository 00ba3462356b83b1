import AppStore

/// A stretch `[from, to)` of a chain's life with constant metric values: one interval of the
/// history with the values of its governing period.
public struct CountedStretch: Hashable, Sendable {
    public var from: Timestamp
    /// Nil while it is open.
    public var to: Timestamp?
    public var state: ChainState
    public var values: DimensionValues
    /// The column of the chain's gain if it was not entitled before this stretch and is now; else
    /// nil.
    public var entry: Gain?
    /// Why access ended; nil for stretches with access.
    public var reason: EndReason?
    /// Nil if neither catalogue nor payload gives it.
    public var period: BillingPeriod?
    /// A year of the price in milliunits of `values.currency`; nil when price, currency or period
    /// is unknown.
    public var annualised: Int64?
    /// Position of the event that proves the start of the stretch.
    public var cause: Int64

    /// Copies by Family Sharing or assignment never count (`Metrics.md`).
    public var isCounted: Bool { values.ownership.isOwnPurchase }

    /// In `subscribed`, `renewing` or `grace`, and counted.
    public var isActive: Bool { state.isEntitled && isCounted }

    /// Active, and the period is not a trial.
    public var isPaid: Bool { isActive && values.phase != .trial }

    /// Active and free.
    public var isTrial: Bool { isActive && values.phase == .trial }
}

/// The column of a chain that gains access: by the state just before, independent of the new state
/// (`Metrics.md`, "The roll-forward"). Raw values are part of the contract.
public enum Gain: String, Sendable, CaseIterable {
    /// Never entitled before.
    case new
    /// Not entitled before as far as is known, but earlier history is missing: an adopted customer
    /// is not a new one.
    case appeared
    /// Won back: from `expired`, or from `revoked` by another purchase.
    case reactivated
    /// From `billingRetry`.
    case recovered
    /// From `revoked`, because the revocation was reversed.
    case reinstated
}
