public import AppStore
import Ledger

/// The result of a run (`Contract.md`, `reconcile`).
public struct ReconcileReport: Sendable, Equatable, JSONObjectWritable {
    public let environment: Environment
    /// Chains with open notices, before.
    public package(set) var chains = 0
    /// The results of the reconciled chains, the most valuable first.
    public package(set) var results: [ChainReconciliation] = []
    /// Chains of apps that have no key.
    public package(set) var withoutKey = 0
    /// Chains paused after a recent unsuccessful reconciliation, or of a resting app.
    public package(set) var paused = 0
    /// The end of the log afterwards.
    public package(set) var position: Int64 = 0
    /// Why the run ended early, or else the first of the `limits`, or of the `refusals`; nil
    /// without any.
    public package(set) var stop: AppleRequestFailure?

    init(environment: Environment) { self.environment = environment }

    /// Chains with open notices that were neither reconciled nor paused: the budget was spent, or
    /// Apple could not be reached, refused their app or its key, or limited the app's rate.
    public var left: Int { chains - results.count - withoutKey - paused }

    /// The first result of each app for which Apple refused the app or its key; its `failure` is
    /// the refusal, whether that is `stop` or not.
    public var refusals: [ChainReconciliation] { firstOfApps { $0.isRefusedApp } }

    /// The first result of each app whose rate Apple limited, likewise.
    public var limits: [ChainReconciliation] {
        firstOfApps { $0.concernsApp && !$0.isRefusedApp }
    }

    private func firstOfApps(
        _ isWanted: (AppleRequestFailure) -> Bool
    ) -> [ChainReconciliation] {
        var apps: Set<BundleId> = []
        return results.filter {
            $0.failure.map(isWanted) == true && apps.insert($0.chain.bundleId).inserted
        }
    }

    /// The number of chains with this outcome.
    public func count(_ outcome: ChainReconciliation.Outcome) -> Int {
        results.count { $0.outcome == outcome }
    }

    /// Responses received from Apple, at least.
    public var requests: Int64 { results.reduce(0) { $0 + $1.requests } }

    /// New events.
    public var appended: Int64 {
        results.reduce(0) { $0 + $1.queries.reduce(0) { $0 + $1.appended } }
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("environment", environment.rawValue)
        json.member("chains", chains)
        json.member("asked", results.count)
        for outcome in ChainReconciliation.Outcome.allCases {
            json.member(outcome.rawValue, count(outcome))
        }
        json.member("withoutKey", withoutKey)
        json.member("paused", paused)
        json.member("left", left)
        json.member("requests", requests)
        json.member("appended", appended)
        json.objects("results", results) { $1.writeMembers(to: &$0) }
        json.member("position", position)
        json.member("stopped", stop?.code)
    }

    /// A one-line summary by outcome.
    public var summary: String {
        let counts = ChainReconciliation.Outcome.allCases.map { "\(count($0)) \($0.rawValue)" }
        let rest = [
            paused > 0 ? "\(paused) paused" : nil,
            withoutKey > 0 ? "\(withoutKey) without a key" : nil,
            left > 0 ? "\(left) not reached" : nil,
        ].compactMap { $0 }
        return "\(results.count) of \(chains.named("chain", "chains")) reconciled: "
            + (counts + rest).joined(separator: ", ")
            + "; \(requests.named("response", "responses")),"
            + " \(appended.named("new event", "new events"))"
    }
}
