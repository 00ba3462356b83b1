public import AppStore

/// What the service tells whoever watches it: for logs and metrics. Calls must return at once.
/// Nothing told holds a payload, a token or a secret.
public protocol ServingObserver: Sendable {
    /// Evidence was verified, or refused; how long that took.
    func verified(_ elapsed: Duration)
    /// An append was answered; how long it took, the wait for the commit included.
    func appended(_ elapsed: Duration)
    /// What became of one delivery.
    func took(_ outcome: IntakeOutcome)
    /// The projections were brought up to the log; by how many events, and how long that took.
    func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration)
    /// An upload was answered; the number of facts that its chain was folded from.
    func folded(factCount: Int)
    /// Something people should read.
    func noted(_ note: ServingNote)
}

extension ServingObserver {
    public func folded(factCount: Int) {}
}

/// What became of one delivery, in few words.
public struct IntakeOutcome: Sendable {
    /// `appended`, `duplicate`, `conflict`, or the code of the refusal.
    public let result: String
    /// Whether the event is in the log.
    public let isTaken: Bool
    public let source: String
    public let environment: Environment?
    public let bundleId: BundleId?
    /// Milliseconds from Apple's signature to the arrival here; nil when it is not known.
    public let latenessMilliseconds: Int64?
    /// Whether a refused delivery is kept in quarantine.
    public let isKept: Bool
    /// The position, when it is in the log.
    public let position: Int64?
    public let receivedAt: Timestamp
}

/// Watches nothing.
public struct NoServingObserver: ServingObserver {
    public init() {}
    public func verified(_ elapsed: Duration) {}
    public func appended(_ elapsed: Duration) {}
    public func took(_ outcome: IntakeOutcome) {}
    public func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration) {}
    public func noted(_ note: ServingNote) {}
}
