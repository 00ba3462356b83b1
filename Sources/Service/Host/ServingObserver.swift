public import AppStore
public import Intake
public import LedgerStore

/// Receives the service's events for logs and metrics. Calls must return at once. No argument holds
/// a payload, a token or a secret.
public protocol ServingObserver: Sendable {
    /// Evidence was verified or refused, in this time.
    func verified(_ elapsed: Duration)
    /// An append was answered, in this time including the wait for the commit.
    func appended(_ elapsed: Duration)
    /// The outcome of one delivery.
    func took(_ outcome: IntakeOutcome)
    /// The projections caught up with the log: events applied, and the time taken.
    func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration)
    /// An upload was answered; the number of facts that its chain was folded from.
    func folded(factCount: Int)
    /// The status that responders returned for one certificate chain.
    func learned(_ finding: RevocationChecks.Finding)
    /// A request for a retention message was answered.
    func answeredRetention(_ outcome: RetentionRecord.Outcome)
    /// This many answers to requests for retention messages are not recorded.
    func lostRetentionRecords(_ count: Int)
    /// An entry for the service's log.
    func noted(_ note: ServingNote)
}

/// An observer ignores what it has no function for.
extension ServingObserver {
    public func verified(_ elapsed: Duration) {}
    public func appended(_ elapsed: Duration) {}
    public func took(_ outcome: IntakeOutcome) {}
    public func projected(_ environment: Environment, eventCount: Int64, _ elapsed: Duration) {}
    public func folded(factCount: Int) {}
    public func learned(_ finding: RevocationChecks.Finding) {}
    public func answeredRetention(_ outcome: RetentionRecord.Outcome) {}
    public func lostRetentionRecords(_ count: Int) {}
    public func noted(_ note: ServingNote) {}
}

/// The outcome of one delivery, in short.
public struct IntakeOutcome: Sendable {
    /// `appended`, `duplicate`, `conflict`, or the code of the refusal.
    public let result: String
    public let source: String
    public let environment: Environment?
    public let bundleId: BundleId?
    /// Milliseconds from Apple's signature to the arrival here; nil when unknown.
    public let latenessMilliseconds: Int64?
    /// Whether a refused delivery is kept in quarantine.
    public let isKept: Bool
    /// The position, when it is in the log.
    public let position: Int64?
    public let receivedAt: Timestamp

    /// Whether the event is in the log.
    public var isTaken: Bool { position != nil }
}

/// Ignores all events.
public struct NoServingObserver: ServingObserver {
    public init() {}
}
