public import AppStore
public import Ledger
internal import LedgerStore
public import Projection
internal import SQLiteStore

/// Whether a customer qualifies for an offer, and why: the `eligibility` object of
/// `Contract.md`.
public struct EligibilityAnswer: Sendable, JSONObjectWritable {
    /// The product of the offer.
    public let productId: ProductId
    /// The chains considered, in order.
    public let chains: [ChainId]
    /// The decision and its events.
    public let eligibility: OfferEligibility
    /// Time and state of the decision.
    public let stamp: AnswerStamp

    /// The members of the object.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("eligible", eligibility.isEligible)
        json.member("reason", eligibility.reason.rawValue)
        json.member("productId", productId)
        json.array("subscriptions", chains.map(\.originalTransactionId))
        json.array("evidence", eligibility.evidence)
        stamp.writeMembers(to: &json)
    }

    /// Throws `notEligible` unless the customer is eligible.
    public func requireEligible() throws(EligibilityError) {
        guard !eligibility.isEligible else { return }
        let events =
            eligibility.evidence.isEmpty
            ? "" : " Events: \(eligibility.evidence.map(String.init).joined(separator: ", "))."
        throw EligibilityError(
            .notEligible,
            "The customer is not eligible (\(eligibility.reason.rawValue)).\(events)",
            eligibility)
    }
}

extension OfferEligibility {
    /// The members `reason` and `evidence` of a refusal in `Contract.md`.
    public func writeRefusal(to json: inout JSONWriter) {
        json.member("reason", reason.rawValue)
        json.array("evidence", evidence)
    }
}

/// The refusal of a signature that is for eligible customers only.
public struct EligibilityError: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Code
    /// What is wrong and what to do, with the positions of the events that decide it.
    public let message: String
    /// The decision and the events that decide it; nil where nothing is decided.
    public let eligibility: OfferEligibility?

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// By the ledger, the customer does not qualify for the offer.
        case notEligible
        /// The ledger cannot tell whether a subscription, or a purchase that cannot be read, is of
        /// the product's group.
        case unknownGroup
    }

    init(_ code: Code, _ message: String, _ eligibility: OfferEligibility? = nil) {
        self.code = code
        self.message = message
        self.eligibility = eligibility
    }

    public var description: String { message }
}

extension LedgerSnapshot {
    /// Applies a rule to the chains that a customer holds or held.
    ///
    /// - Parameters:
    ///   - rule: who may have the offer.
    ///   - product: of the offer, or of its group.
    ///   - bundleId: only chains of this app.
    ///   - customers: in addition to those who hold the transaction's chain.
    ///   - id: any transactionId of one of the chains. With a customer it may be unknown, since
    ///     Apple also accepts an appTransactionId.
    ///   - moment: time and knowledge of the decision.
    ///
    /// Throws `EligibilityError` (`unknownGroup`), `QueryError` or `StoreError`.
    public func eligibility(
        _ rule: OfferEligibility.Rule, product: ProductId, bundleId: BundleId,
        customers: [CustomerId], transaction id: String?, moment: Moment
    ) async throws -> EligibilityAnswer {
        var readings: [ChainId: ChainReading] = [:]
        var customers = customers
        if let id,
            let named = try await named(id, bundleId, moment, mayBeUnknown: !customers.isEmpty)
        {
            readings[named.chain] = named
            customers += named.life.holders.holders(at: moment.at).map(\.customer)
        }
        for customer in Set(customers).sorted() {
            try await requireNotErased(customer, named: id)
            let reading = try await reading(of: customer, moment: moment, bundleId: bundleId)
            for chain in reading.chains { readings[chain.chain] = chain }
        }
        try await requireStates(of: customers, bundleId, moment, besides: readings)
        let chains = readings.keys.sorted()
        let eligibility = OfferEligibility.decide(
            rule, product: product, lives: chains.compactMap { readings[$0]?.life },
            at: moment.at, catalogue: ledger.catalogue, groups: try await groups(of: bundleId))
        guard let eligibility else {
            throw EligibilityError(
                .unknownGroup,
                "It is unknown whether a subscription of the customer is of this product's group:"
                    + " list both products with their group in the catalogue.")
        }
        return EligibilityAnswer(
            productId: product, chains: chains, eligibility: eligibility,
            stamp: AnswerStamp(
                moment, of: bundleId, position: moment.knowledge.position(head: position), ledger))
    }

    /// Apple's group of each product of an app for which the purchases known now state exactly one.
    private func groups(
        of bundleId: BundleId
    ) async throws(StoreError) -> [ProductId: SubscriptionGroupIdentifier] {
        var stated: [ProductId: Set<String>] = [:]
        for values in try await projections.metricClasses().classes.lazy.map(\.values) {
            // The classes of a product with a group in the catalogue have that one's name.
            guard values.app == bundleId, let product = values.product, let group = values.group,
                ledger.catalogue.products[product]?.group == nil
            else { continue }
            stated[product, default: []].insert(group)
        }
        return stated.compactMapValues { groups in
            groups.count == 1 ? groups.first.map { SubscriptionGroupIdentifier($0) } : nil
        }
    }

    /// Throws `unknownGroup` where a chain of one of the customers has no state, or that of a
    /// one-time purchase, and may be a subscription of the group.
    private func requireStates(
        of customers: [CustomerId], _ bundleId: BundleId, _ moment: Moment,
        besides readings: [ChainId: ChainReading]
    ) async throws {
        for customer in Set(customers).sorted() {
            let others = try await chains(of: customer, bundleId)
                .filter { readings[$0]?.life.isOneTime ?? true }
            for (chain, facts) in try await facts.facts(of: others) {
                let known = admitted(facts, moment)
                let life = readings[chain]?.life ?? ledger.life(of: known)
                guard life.isEmpty || life.isOneTime,
                    let fact = known.first(where: LedgerSnapshot.mayRenew)
                else { continue }
                throw EligibilityError(
                    .unknownGroup,
                    "It is unknown whether \(chain.originalTransactionId) is a subscription of this"
                        + " product's group: event \(fact.position) about it cannot be read.")
            }
        }
    }

    /// Whether a fact that gives its chain no period may be about an auto-renewable subscription.
    private static func mayRenew(_ fact: Fact) -> Bool {
        guard let bought = fact.transaction else {
            return fact.flaw != nil || fact.renewal != nil
        }
        // Receipts state no type, and a date of expiry of subscriptions only.
        guard let type = bought.type else { return bought.expiresDate != nil }
        return type.value == nil || type.value == .autoRenewableSubscription
    }

    /// Throws `noSuchSubscription` for a customer who was erased, even for an unknown transaction:
    /// the events that would decide are gone.
    private func requireNotErased(_ customer: CustomerId, named id: String?) async throws {
        let home = ChainId(erased: ErasedChain(ChainId(customer: customer)))
        guard try await facts.facts(of: [home]).allSatisfy(\.1.isEmpty) else {
            throw QueryError.noSuchSubscription(id ?? customer.rawValue)
        }
    }

    /// The chain of a transaction; nil for an unknown one where `mayBeUnknown`.
    ///
    /// - Parameter mayBeUnknown: returns nil for an unknown id instead of throwing. The id of an
    ///   erased chain still throws: the events that would decide are gone.
    private func named(
        _ id: String, _ bundleId: BundleId, _ moment: Moment, mayBeUnknown: Bool
    ) async throws -> ChainReading? {
        do throws(QueryError) {
            return try await reading(id, bundleId: bundleId, moment: moment)
        } catch {
            guard mayBeUnknown, case .noSuchSubscription = error else { throw error }
            let chain = ChainId(
                bundleId: bundleId, originalTransactionId: OriginalTransactionId(id))
            let erasures = try await facts.facts(of: [ChainId(erased: ErasedChain(chain))])
            guard erasures.allSatisfy(\.1.isEmpty) else { throw error }
            return nil
        }
    }
}
