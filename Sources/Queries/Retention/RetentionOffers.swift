public import AppStore
public import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore

/// The answers to Apple's requests for retention messages in a window, and their results
/// (`Contract.md`, metrics retention-offers).
public struct RetentionOffers: Sendable, Equatable, JSONObjectWritable {
    /// The answers of one rule with one message, and with one promotional offer or none.
    public struct Row: Sendable, Hashable {
        public let rule: String
        /// The UUID of the message.
        public let message: String
        /// The promotional offer whose signature the answers had; nil: they had none.
        public internal(set) var promotionalOffer: String?
        public internal(set) var results: [RetentionResult: Int] = [:]

        public var shown: Int { results.values.reduce(0, +) }

        public func count(_ result: RetentionResult) -> Int { results[result] ?? 0 }
    }

    public let environment: Environment
    public let from: Timestamp
    public let to: Timestamp
    /// Whether `to` is the time of the query, on which the tag of an answer does not depend.
    package var endsNow = false
    /// The position the results include.
    public let position: Int64
    /// By the rule's name, then by message, then by offer, none first.
    public internal(set) var rows: [Row] = []
    /// Requests that got no message, by reason.
    public internal(set) var unanswered: [RetentionRecord.Outcome: Int] = [:]

    /// The reasons, in the order of the report.
    public static let reasons = RetentionRecord.Outcome.allCases.filter { $0 != .shown }

    /// `{"definition":"retention-offers/1", …}`.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("definition", "retention-offers/1")
        json.member("environment", environment.rawValue)
        json.member("from", from)
        if json.isStamped || !endsNow { json.member("to", to) }
        if json.isStamped { json.member("position", position) }
        json.objects("rows", rows) { json, row in
            json.member("rule", row.rule)
            json.member("message", row.message)
            json.member("promotionalOffer", row.promotionalOffer)
            json.member("shown", row.shown)
            for result in RetentionResult.allCases {
                json.member(result.rawValue, row.count(result))
            }
        }
        json.object("unanswered") { json in
            for reason in RetentionOffers.reasons {
                json.member(reason.rawValue, unanswered[reason] ?? 0)
            }
        }
    }
}

extension LedgerSnapshot {
    /// Answers read at once.
    static var retentionPageCount: Int { 500 }

    /// The answers from `from` until before `to`, with their outcomes as of `now`.
    ///
    /// - Parameters:
    ///   - from: inclusive.
    ///   - to: exclusive.
    ///   - now: the time of the outcomes.
    ///   - bundleId: only of this app.
    ///
    /// Throws `invalidRange` unless `to` is after `from`, and `store`.
    public func retentionOffers(
        from: Timestamp, to: Timestamp, now: Timestamp, bundleId: BundleId? = nil
    ) async throws(QueryError) -> RetentionOffers {
        guard from < to else {
            throw .invalidRange(
                "The range is empty: `to` is exclusive, by default now, and must be after `from`.")
        }
        do throws(StoreError) {
            return try await countedOffers(from: from, to: to, now: now, bundleId: bundleId)
        } catch { throw .store(error) }
    }

    private func countedOffers(
        from: Timestamp, to: Timestamp, now: Timestamp, bundleId: BundleId?
    ) async throws(StoreError) -> RetentionOffers {
        var offers = RetentionOffers(
            environment: ledger.environment, from: from, to: to, position: position)
        // By rows without results.
        var counts: [RetentionOffers.Row: [RetentionResult: Int]] = [:]
        var place = RetentionRecord.Place(before: from)
        while true {
            let page = try await ledger.operations.retentionAnswers(
                after: place, before: to, limit: LedgerSnapshot.retentionPageCount)
            guard let last = page.last else { break }
            place = RetentionRecord.Place(last)
            let asked = page.filter { bundleId == nil || $0.chain.bundleId == bundleId }
            let chains = Set(asked.filter { $0.outcome == .shown }.map(\.chain)).sorted()
            let lives = try await retentionLives(chains)
            for record in asked {
                guard record.outcome == .shown else {
                    offers.unanswered[record.outcome, default: 0] += 1
                    continue
                }
                let result = lives[record.chain]?.retentionResult(
                    ofMessageAt: record.at, now: now, leeway: ledger.catalogue.leewayMilliseconds)
                let row = RetentionOffers.Row(
                    rule: record.rule ?? "", message: record.message ?? "",
                    promotionalOffer: record.promotionalOffer)
                counts[row, default: [:]][result ?? .open, default: 0] += 1
            }
        }
        offers.rows = counts.map { row, results -> RetentionOffers.Row in
            var row = row
            row.results = results
            return row
        }.sorted {
            ($0.rule, $0.message, $0.promotionalOffer ?? "")
                < ($1.rule, $1.message, $1.promotionalOffer ?? "")
        }
        return offers
    }

    private func retentionLives(
        _ chains: [ChainId]
    ) async throws(StoreError) -> [ChainId: Lifecycle] {
        guard !chains.isEmpty else { return [:] }
        var lives: [ChainId: Lifecycle] = [:]
        for (chain, facts) in try await facts.facts(of: chains) {
            lives[chain] = ledger.life(of: facts.filter { $0.position <= position })
        }
        return lives
    }
}
