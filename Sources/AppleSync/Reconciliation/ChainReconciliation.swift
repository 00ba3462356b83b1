import AppStore
internal import Intake
public import Ledger
internal import LedgerStore

/// What looking up one chain came to.
public struct ChainReconciliation: Sendable, Equatable {
    public let chain: ChainId
    /// Codes of the notices that were open before, each once, in byte order.
    public let before: [String]
    /// What Apple was asked, in this order.
    public package(set) var asked: [Question] = []
    /// Codes of the notices that are open now.
    public package(set) var after: [String]
    public package(set) var outcome: Outcome = .open
    /// Why the look-up ended early; nil when it did not.
    public package(set) var failure: AskingFailure?
    /// Why a piece of what came was not taken in; nil when all was.
    public package(set) var refusal: AskedTally.Refusal?

    /// One question, with what it brought.
    public struct Question: Sendable, Equatable {
        /// The endpoint's name.
        public let endpoint: String
        /// Pieces of evidence that came.
        public let received: Int64
        /// Those that were new.
        public let appended: Int64
    }

    /// What became of the chain's notices.
    public enum Outcome: String, Sendable, CaseIterable {
        /// None of them is open any more.
        case closed
        /// Apple's answers explain not all of them.
        case open
        /// What Apple says and what is held contradict each other, and that is recorded.
        case contradiction
        /// Apple knows nothing of the chain.
        case unknown
        /// Apple could not be asked, or what came could not be taken in.
        case failed
    }

    /// Answers of Apple's that it took, at least.
    public package(set) var requests: Int64 = 0

    init(chain: ChainId, before: [String]) {
        self.chain = chain
        self.before = before
        after = before
    }

    /// One line for people.
    public var text: String {
        let questions = asked.map { "\($0.endpoint) \($0.appended) new of \($0.received)" }
        let result =
            failure.map { "\($0.code): \($0.message)" }
            ?? refusal.map { "\($0.code): \($0.message)" }
            ?? (after.isEmpty ? "" : "still \(after.joined(separator: ", "))")
        return "\(chain.originalTransactionId): \(before.joined(separator: ", ")) -> "
            + ([outcome.rawValue] + [result].filter { !$0.isEmpty }).joined(separator: ": ")
            + (questions.isEmpty ? "" : " (\(questions.joined(separator: ", ")))")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", chain.bundleId)
            json.member("originalTransactionId", chain.originalTransactionId)
            json.array("before", before)
            json.array("asked", asked) { json, question in
                json.object { json in
                    json.member("endpoint", question.endpoint)
                    json.member("received", question.received)
                    json.member("appended", question.appended)
                }
            }
            json.array("after", after)
            json.member("outcome", outcome.rawValue)
            json.member("code", failure?.code ?? refusal?.code)
            json.member("message", failure?.message ?? refusal?.message)
        }
    }
}
