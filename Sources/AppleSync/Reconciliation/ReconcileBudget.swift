/// How much one run may ask.
public struct ReconcileBudget: Sendable, Equatable {
    /// Chains at most; nil: all that have work.
    public var chains: Int?
    /// Answers of Apple's, after which no further chain is begun; nil: no bound. A chain that was
    /// begun is asked about to its end.
    public var requests: Int64?
    /// Whether chains are left alone for a while whose notices stayed open when they were last
    /// looked up.
    public var keepsPauses: Bool

    public init(chains: Int? = nil, requests: Int64? = nil, keepsPauses: Bool = false) {
        self.chains = chains
        self.requests = requests
        self.keepsPauses = keepsPauses
    }

    /// What the service takes in one round.
    public static let round = ReconcileBudget(
        chains: ReconcileLimits.roundChainCount, requests: ReconcileLimits.roundRequestCount,
        keepsPauses: true)
}
