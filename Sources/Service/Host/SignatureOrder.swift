public import AppStore
public import AppStoreAPI
public import Ledger
public import Projection
public import Queries

/// A signature that an app asks for: the body of `POST /v1/signatures/…` (`Contract.md`), or the
/// options of `sign`.
public struct SignatureOrder: Sendable {
    /// What to sign.
    public let request: SignatureRequest
    /// Whether to sign only for a customer who is eligible by the ledger.
    public let isForEligible: Bool
    /// Customers whose eligibility counts, besides the holders of the transaction's chain: the one
    /// stated, and the one that the appAccountToken names.
    public let customers: [CustomerId]

    /// Largest body: an Advanced Commerce request with white space.
    public static let maximumByteCount = 128 * 1024

    /// Throws `malformed` for members that exclude each other, and where eligibility is asked of
    /// no customer.
    public init(
        _ request: SignatureRequest, isForEligible: Bool = false, customer: String? = nil
    ) throws(IntakeRefusal) {
        self.request = request
        self.isForEligible = isForEligible
        var customers = request.appAccountToken.map { [CustomerId(stated: $0)] } ?? []
        if let customer { customers.append(try JSONBody.customer(customer)) }
        self.customers = customers
        guard isForEligible else {
            guard customer == nil else {
                throw IntakeRefusal.invalidBody(
                    "customer (--customer) needs ifEligible (--if-eligible).")
            }
            return
        }
        guard request.isOffered else {
            throw IntakeRefusal.invalidBody(
                "ifEligible (--if-eligible) and allowIntroductoryOffer: false (--deny) exclude each"
                    + " other.")
        }
        guard !customers.isEmpty || request.transactionId != nil else {
            throw IntakeRefusal.invalidBody(
                request.kind == .promotionalOfferV1
                    ? "Name a customer: by appAccountToken or customer."
                    : "Name a customer or a transaction.")
        }
    }

    /// The kinds of signatures, as in paths.
    public static var kinds: [String] { SignatureRequest.Kind.allCases.map(\.rawValue) }

    /// Reads a body for one of `kinds`. Throws `malformed` for an invalid one, also for one with
    /// unknown members: a misspelt `ifEligible` must not sign.
    public init(kind name: String, body: [UInt8]) throws(IntakeRefusal) {
        guard let kind = SignatureRequest.Kind(rawValue: name) else {
            throw IntakeRefusal.invalidBody("There is no such signature.")
        }
        let body = try JSONBody(body)
        try body.requireOnly(SignatureOrder.members(of: kind))
        let isForEligible = try body.flag("ifEligible")
        try self.init(
            try SignatureOrder.request(kind, body), isForEligible: isForEligible,
            customer: try body.text("customer"))
    }

    /// The members of a body, in the order of the contract.
    private static func members(of kind: SignatureRequest.Kind) -> [String] {
        switch kind {
        case .promotionalOffer:
            ["productId", "offerId", "transactionId", "ifEligible", "customer"]
        case .promotionalOfferV1:
            ["productId", "offerId", "appAccountToken", "ifEligible", "customer"]
        case .introductoryOffer:
            ["productId", "transactionId", "allowIntroductoryOffer", "ifEligible", "customer"]
        case .advancedCommerce: ["request"]
        }
    }

    private static func request(
        _ kind: SignatureRequest.Kind, _ body: JSONBody
    ) throws(IntakeRefusal) -> SignatureRequest {
        switch kind {
        case .promotionalOffer:
            return .promotionalOffer(
                productId: ProductId(try body.required("productId")),
                offerId: try body.required("offerId"),
                transactionId: try body.text("transactionId"))
        case .promotionalOfferV1:
            return .promotionalOfferV1(
                productId: ProductId(try body.required("productId")),
                offerId: try body.required("offerId"),
                appAccountToken: try body.text("appAccountToken"))
        case .introductoryOffer:
            guard let isAllowed = body["allowIntroductoryOffer"]?.bool else {
                throw IntakeRefusal.invalidBody(
                    "allowIntroductoryOffer is required, true or false.")
            }
            return .introductoryOffer(
                productId: ProductId(try body.required("productId")), isAllowed: isAllowed,
                transactionId: try body.required("transactionId"))
        case .advancedCommerce:
            guard let request = body["request"] else {
                throw IntakeRefusal.invalidBody("request is required, an object.")
            }
            return .advancedCommerce(request: request)
        }
    }

    // MARK: Eligibility

    /// The customer's eligibility. For an order with `isForEligible`.
    ///
    /// Throws `EligibilityError` for a customer who is not eligible, `QueryError` or `StoreError`.
    public func eligibility(
        in state: LedgerSnapshot, bundleId: BundleId, moment: Moment
    ) async throws -> EligibilityAnswer {
        let answer = try await state.eligibility(
            request.kind == .introductoryOffer ? .noIntroductoryOffer : .lapsed,
            product: request.productId, bundleId: bundleId, customers: customers,
            transaction: request.transactionId, moment: moment)
        try answer.requireEligible()
        return answer
    }
}

/// A signature, and the eligibility that was asked for.
public struct SignatureAnswer: Sendable, JSONObjectWritable {
    public let signature: AppSignature
    /// Nil where it was not asked for.
    public let eligibility: EligibilityAnswer?

    public init(_ signature: AppSignature, _ eligibility: EligibilityAnswer?) {
        self.signature = signature
        self.eligibility = eligibility
    }

    /// The `signature` object of `Contract.md`.
    public func writeMembers(to json: inout JSONWriter) {
        signature.writeMembers(to: &json)
        json.member("eligibility", eligibility)
    }
}
