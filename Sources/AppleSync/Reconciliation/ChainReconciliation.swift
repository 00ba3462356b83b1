import AppStore
public import Intake
public import Ledger

/// The result of reconciling one chain.
public struct ChainReconciliation: Sendable, Equatable {
    public let chain: ChainId
    /// Codes of the notices that were open before, each once, in byte order.
    public let before: [String]
    /// The queries of Apple, in order.
    public package(set) var queries: [Query] = []
    /// Codes of the notices that are open now.
    public package(set) var after: [String]
    public package(set) var outcome: Outcome = .open
    /// Why the reconciliation ended early; nil when it did not.
    public package(set) var failure: AppleRequestFailure?
    /// Why a piece of evidence received was refused; nil when all was accepted.
    public package(set) var refusal: IngestError?

    /// One query and what it returned.
    public struct Query: Sendable, Equatable {
        /// The endpoint's name.
        public let endpoint: String
        /// Pieces of evidence received.
        public let received: Int64
        /// New ones among them.
        public let appended: Int64
    }

    /// The outcome for the chain's notices.
    public enum Outcome: String, Sendable, CaseIterable {
        /// All notices are closed.
        case closed
        /// Apple's responses do not explain all of them.
        case open
        /// Apple's data contradicts stored evidence; the contradiction is recorded.
        case contradiction
        /// Apple does not know the chain.
        case unknown
        /// A request failed, or a response could not be taken in.
        case failed
    }

    /// Responses received from Apple, at least.
    public package(set) var requests: Int64 = 0

    init(chain: ChainId, before: [String]) {
        self.chain = chain
        self.before = before
        after = before
    }

    /// A one-line summary.
    public var text: String {
        let lines = queries.map { "\($0.endpoint) \($0.appended) new of \($0.received)" }
        let result =
            failure.map { "\($0.code): \($0.message)" }
            ?? refusal.map { "\($0.code): \($0.message)" }
            ?? (after.isEmpty ? "" : "still \(after.joined(separator: ", "))")
        return "\(chain.originalTransactionId): \(before.joined(separator: ", ")) -> "
            + ([outcome.rawValue] + [result].filter { !$0.isEmpty }).joined(separator: ": ")
            + (lines.isEmpty ? "" : " (\(lines.joined(separator: ", ")))")
    }

    func writeMembers(to json: inout JSONWriter) {
        chain.writeMembers(to: &json)
        json.array("before", before)
        json.objects("asked", queries) { json, query in
            json.member("endpoint", query.endpoint)
            json.member("received", query.received)
            json.member("appended", query.appended)
        }
        json.array("after", after)
        json.member("outcome", outcome.rawValue)
        json.member("code", failure?.code ?? refusal?.code)
        json.member("message", failure?.message ?? refusal?.message)
    }
}
