public import AppStore
internal import LedgerStore

/// What a run of look-ups came to (`contract.md`, `reconcile`).
public struct ReconcileReport: Sendable, Equatable {
    /// The ledger.
    public let environment: Environment
    /// Chains with open notices, before.
    public package(set) var chains = 0
    /// What became of those that were looked up, the most valuable first.
    public package(set) var results: [ChainReconciliation] = []
    /// Chains of apps that have no key.
    public package(set) var withoutKey = 0
    /// Chains left alone because they were looked up in vain not long ago.
    public package(set) var paused = 0
    /// The end of the log afterwards.
    public package(set) var position: Int64 = 0
    /// Why the run ended before its work did; nil when it did not.
    public package(set) var stop: AskingFailure?

    init(environment: Environment) { self.environment = environment }

    /// Chains with open notices that were neither looked up nor left alone on purpose: the budget
    /// was spent, or Apple could not be asked.
    public var left: Int { chains - results.count - withoutKey - paused }

    /// How many came to this.
    public func count(_ outcome: ChainReconciliation.Outcome) -> Int {
        results.count { $0.outcome == outcome }
    }

    /// Answers of Apple's, at least.
    public var requests: Int64 { results.reduce(0) { $0 + $1.requests } }

    /// New events.
    public var appended: Int64 {
        results.reduce(0) { $0 + $1.asked.reduce(0) { $0 + $1.appended } }
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
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
            json.array("results", results) { $1.write(to: &$0) }
            json.member("position", position)
            json.member("stopped", stop?.code)
        }
    }

    /// One line: how many came to what.
    public var summary: String {
        let counts = ChainReconciliation.Outcome.allCases.map { "\(count($0)) \($0.rawValue)" }
        let rest = [
            paused > 0 ? "\(paused) left alone" : nil,
            withoutKey > 0 ? "\(withoutKey) without a key" : nil,
            left > 0 ? "\(left) not asked about" : nil,
        ].compactMap { $0 }
        return "\(results.count) of \(chains) chains looked up: "
            + (counts + rest).joined(separator: ", ")
            + "; \(requests) answers, \(appended) new events"
    }
}
