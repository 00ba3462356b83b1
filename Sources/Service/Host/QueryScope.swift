public import AppStore
public import Ledger

/// Parameters common to all HTTP queries (`Contract.md`).
public struct QueryScope: Sendable {
    public var environment: Environment
    /// Limits the query to chains of this app.
    public var bundleId: BundleId?
    /// Nil means now.
    public var at: Timestamp?
    public var knowledge: AsOf
    /// The answer must include this position.
    public var minPosition: Int64?

    public init(
        environment: Environment = .production, bundleId: BundleId? = nil, at: Timestamp? = nil,
        knowledge: AsOf = .everything, minPosition: Int64? = nil
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.at = at
        self.knowledge = knowledge
        self.minPosition = minPosition
    }
}
