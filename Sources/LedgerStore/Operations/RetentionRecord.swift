public import AppStore
public import Ledger

/// Apple's request for a retention message, and the answer.
public struct RetentionRecord: Hashable, Sendable {
    /// The outcome of a request. Raw values are stored.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A rule chose a message.
        case shown
        /// No rule applies.
        case noRule
        /// The subscription is not in the ledger.
        case unknownChain
        /// No answer could be derived now.
        case unavailable
        /// The answer was not ready in time.
        case late
    }

    /// Apple's UUID of the request.
    public var requestId: String
    public var chain: ChainId
    /// When it was answered.
    public var at: Timestamp
    public var productId: ProductId?
    public var locale: String?
    public var outcome: Outcome
    /// The rule that decided; nil where none did.
    public var rule: String?
    public var message: String?
    public var alternateProduct: ProductId?
    /// The promotional offer whose signature the answer had; nil where there was none, and where an
    /// earlier release recorded the answer.
    public var promotionalOffer: String?

    public init(
        requestId: String, chain: ChainId, at: Timestamp, productId: ProductId? = nil,
        locale: String? = nil, outcome: Outcome, rule: String? = nil, message: String? = nil,
        alternateProduct: ProductId? = nil, promotionalOffer: String? = nil
    ) {
        self.requestId = requestId
        self.chain = chain
        self.at = at
        self.productId = productId
        self.locale = locale
        self.outcome = outcome
        self.rule = rule
        self.message = message
        self.alternateProduct = alternateProduct
        self.promotionalOffer = promotionalOffer
    }

    /// A place in the order of records: by time, then by request.
    public struct Place: Hashable, Sendable {
        public var at: Timestamp
        public var requestId: String

        /// Before every record of that time.
        public init(before at: Timestamp) { (self.at, requestId) = (at, "") }

        public init(_ record: RetentionRecord) {
            (at, requestId) = (record.at, record.requestId)
        }
    }
}
