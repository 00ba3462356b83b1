public import AppStore
public import Ledger

/// What every question over HTTP may say (`contract.md`).
public struct QuestionScope: Sendable {
    public var environment: Environment
    /// Only chains of this app are meant.
    public var bundleId: BundleId?
    /// Nil asks about now.
    public var at: Timestamp?
    public var knowledge: KnowledgeLimit
    /// The answer must include this position.
    public var minPosition: Int64?

    public init(
        environment: Environment = .production, bundleId: BundleId? = nil, at: Timestamp? = nil,
        knowledge: KnowledgeLimit = .everything, minPosition: Int64? = nil
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.at = at
        self.knowledge = knowledge
        self.minPosition = minPosition
    }
}
