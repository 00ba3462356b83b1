public import AppStore

/// Limits on the requests of one run.
public struct ReconcileBudget: Sendable, Equatable {
    /// Maximum chains; nil: all that have work.
    public var chains: Int?
    /// Responses after which no further chain is started; nil: no limit. A started chain is
    /// finished.
    public var requests: Int64?
    /// Whether chains whose notices stayed open are paused for a while.
    public var keepsPauses: Bool
    /// Apps whose chains are paused, since Apple refused them or their key a short time ago.
    public var resting: Set<BundleId> = []

    public init(chains: Int? = nil, requests: Int64? = nil, keepsPauses: Bool = false) {
        self.chains = chains
        self.requests = requests
        self.keepsPauses = keepsPauses
    }

    /// The limits of one round of the service.
    public static let round = ReconcileBudget(
        chains: ReconcileLimits.roundChainCount, requests: ReconcileLimits.roundRequestCount,
        keepsPauses: true)
}
