public import AppStore
public import Ledger

/// A part of the difference between Apple's number and ours.
public struct Explanation: Hashable, Sendable {
    /// Raw values are the contract's.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        // Computed: what our number becomes by Apple's rule.
        /// Days in Pacific Time instead of the report zone.
        case day
        /// The first standard price after an introductory offer is a conversion, not a renewal.
        case trialConversions
        /// A renewal after lost access is no reactivation.
        case renewalAfterLoss
        /// No chain of the ledger ever had the product.
        case unknownProduct
        /// Only one-time purchases of the product are known, which are not compared.
        case oneTimeProduct
        /// The day ends after what is known.
        case afterKnowledge
        // Attributed: no more than the chains that it may concern.
        /// Apple states a grace period separately; we count it as active.
        case gracePeriod
        /// A shortfall in one of paid and free matches an excess in the other.
        case trials
        /// Our chains whose evidence states no country are missing in those of countries.
        case unknownCountry
        /// Copies by Family Sharing, which we do not count.
        case familySharing
        /// Chains whose known history begins after the day.
        case missingHistory
        // The rest.
        /// Not everything that Apple sent about the day is known to be stored; `gap` is why.
        case incomplete
        /// On a day with complete evidence.
        case unexplained
    }

    /// Why the evidence of a day may be incomplete. Raw values are the contract's.
    public enum Gap: String, Hashable, Sendable, CaseIterable {
        /// No sweep of Apple's history covers all apps that were asked about.
        case notSwept
        /// The day, or the renewals that are signed before it, begin before the complete window.
        case beforeCompleteFrom
        /// The day ends after the complete window.
        case afterCompleteThrough
    }

    public let cause: Cause
    /// The part of Apple's number minus ours.
    public let amount: Int64
    /// Set for `incomplete`.
    public let gap: Gap?
    /// Number of chains that it may concern, counted as often as they add to the cell; 0 where it
    /// concerns no known chain.
    public let chainCount: Int
    /// The first of them, in order; at most `ExplainedCell.listedChainCount`.
    public let chains: [ChainId]

    init(_ cause: Cause, _ amount: Int64, _ gap: Gap?, _ count: ComparedCells.Count?) {
        self.cause = cause
        self.amount = amount
        self.gap = gap
        chainCount = count?.chainCount ?? 0
        chains = count?.chains ?? []
    }
}

/// Apple's number and ours in one cell, with the causes of the difference.
public struct ExplainedCell: Hashable, Sendable, JSONObjectWritable {
    /// A price of which Apple's count and ours differ.
    public struct PriceDifference: Hashable, Sendable {
        public let price: SalesReportTable.Price
        public let apple: Int64
        /// Our count, by Apple's days.
        public let ours: Int64
        /// Our chains with the price; at most `listedChainCount`.
        public let chains: [ChainId]
    }

    /// Proceeds that a subscriber report states, with the estimate of `metrics proceeds`.
    public struct Proceeds: Hashable, Sendable {
        public let currency: String
        /// Milliunits after Apple's share and tax.
        public let apple: Int64
        /// Milliunits before tax, by Apple's days; nil for refunds.
        public let estimate: Int64?
    }

    public let cell: SalesReportTable.Cell
    public let apple: Int64
    public let ours: Int64
    /// Apple's number in an earlier report, where Apple restated it.
    public let earlier: Int64?
    /// The amounts add up to Apple's number minus ours; none is 0.
    public let explanations: [Explanation]
    /// Empty except for a subscriber report.
    public let prices: [PriceDifference]
    /// Empty except for a subscriber report that states them.
    public let proceeds: [Proceeds]

    public var difference: Int64 { apple - ours }
    /// Whether no part is incomplete or unexplained.
    public var isExplained: Bool {
        !explanations.contains { $0.cause == .incomplete || $0.cause == .unexplained }
    }

    /// Chains listed for one explanation.
    public static let listedChainCount = 10

    public func writeMembers(to json: inout JSONWriter) {
        json.member("report", cell.kind.rawValue)
        json.member("figure", cell.figure.rawValue)
        json.member("day", cell.day.text)
        json.member("product", cell.product.rawValue)
        json.member("country", cell.country)
        json.member("apple", apple)
        json.member("ours", ours)
        json.member("difference", difference)
        json.member("earlier", earlier)
        json.objects("explanations", explanations) { json, part in
            json.member("cause", part.cause.rawValue)
            json.member("amount", part.amount)
            json.member("reason", part.gap?.rawValue)
            json.member("chainCount", Int64(part.chainCount))
            json.objects("chains", part.chains) { $1.writeMembers(to: &$0) }
        }
        json.objects("prices", prices) { json, found in
            json.member("price", found.price.milliunits)
            json.member("currency", found.price.currency)
            json.member("apple", found.apple)
            json.member("ours", found.ours)
            json.objects("chains", found.chains) { $1.writeMembers(to: &$0) }
        }
        json.objects("proceeds", proceeds) { json, found in
            json.member("currency", found.currency)
            json.member("apple", found.apple)
            json.member("estimate", found.estimate)
        }
    }
}
