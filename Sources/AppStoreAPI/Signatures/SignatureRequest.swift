public import AppStore

/// What an app has its server sign before it calls StoreKit (Generating JWS to sign App Store
/// requests; Generating a signature for promotional offers).
public enum SignatureRequest: Hashable, Sendable {
    /// A promotional offer as JWS. Apple recommends naming a transaction of the customer, or their
    /// appTransactionId.
    case promotionalOffer(productId: ProductId, offerId: String, transactionId: String?)
    /// A promotional offer in the first form: a signature over the joined values. The token is that
    /// of the purchase, a UUID or the applicationUsername; nil where the purchase has none.
    case promotionalOfferV1(productId: ProductId, offerId: String, appAccountToken: String?)
    /// Whether the customer gets the introductory offer of a product, whatever Apple would decide.
    /// Names a transaction of the customer, or their appTransactionId.
    case introductoryOffer(productId: ProductId, isAllowed: Bool, transactionId: String)
    /// An in-app request of the Advanced Commerce API.
    case advancedCommerce(request: JSONValue)

    /// The kinds of signatures. Raw values are part of the contract: of commands, paths and output.
    public enum Kind: String, Sendable, CaseIterable {
        case promotionalOffer = "promotional-offer"
        case promotionalOfferV1 = "promotional-offer-v1"
        case introductoryOffer = "introductory-offer"
        case advancedCommerce = "advanced-commerce"
    }

    /// Longest product id, offer id, transaction id or token, in bytes.
    public static let textByteCount = 256
    /// Largest Advanced Commerce request, in bytes of its JSON without white space.
    public static let requestByteCount = 64 * 1_024

    public var kind: Kind {
        switch self {
        case .promotionalOffer: .promotionalOffer
        case .promotionalOfferV1: .promotionalOfferV1
        case .introductoryOffer: .introductoryOffer
        case .advancedCommerce: .advancedCommerce
        }
    }

    /// Whether it gives the customer an offer.
    package var isOffered: Bool {
        switch self {
        case .promotionalOffer, .promotionalOfferV1: true
        case .introductoryOffer(_, let isAllowed, _): isAllowed
        case .advancedCommerce: false
        }
    }

    /// The product of the offer; empty for an Advanced Commerce request.
    package var productId: ProductId {
        switch self {
        case .promotionalOffer(let productId, _, _), .promotionalOfferV1(let productId, _, _),
            .introductoryOffer(let productId, _, _):
            productId
        case .advancedCommerce: ProductId("")
        }
    }

    /// The transaction named, or the appTransactionId.
    package var transactionId: String? {
        switch self {
        case .promotionalOffer(_, _, let transactionId): transactionId
        case .introductoryOffer(_, _, let transactionId): transactionId
        case .promotionalOfferV1, .advancedCommerce: nil
        }
    }

    /// The token of a promotional offer in the first form; nil for an empty one.
    package var appAccountToken: String? {
        guard case .promotionalOfferV1(_, _, let token?) = self, !token.isEmpty else { return nil }
        return token
    }

    /// The audience of the JWS; nil for what is signed without one.
    var audience: String? {
        switch self {
        case .promotionalOffer: "promotional-offer"
        case .promotionalOfferV1: nil
        case .introductoryOffer: "introductory-offer-eligibility"
        case .advancedCommerce: "advanced-commerce-api"
        }
    }

    // MARK: Checking

    /// Throws `invalidSignatureField` or `invalidCommerceRequest` for what Apple cannot accept.
    func requireSignable() throws(SignatureError) {
        switch self {
        case .promotionalOffer(let productId, let offerId, let transactionId):
            try SignatureRequest.require(productId.rawValue, "product id")
            try SignatureRequest.require(offerId, "offer id")
            if let transactionId {
                try SignatureRequest.require(transactionId, "transaction id")
            }
        case .promotionalOfferV1(let productId, let offerId, let appAccountToken):
            try SignatureRequest.require(productId.rawValue, "product id")
            try SignatureRequest.require(offerId, "offer id")
            if let appAccountToken, !appAccountToken.isEmpty {
                try SignatureRequest.require(appAccountToken, "appAccountToken")
            }
        case .introductoryOffer(let productId, _, let transactionId):
            try SignatureRequest.require(productId.rawValue, "product id")
            try SignatureRequest.require(transactionId, "transaction id")
        case .advancedCommerce(let request):
            guard request["operation"]?.string != nil, request["version"]?.string != nil,
                request["requestInfo"]?["requestReferenceId"]?.string != nil,
                request.encoded().count <= SignatureRequest.requestByteCount
            else {
                throw SignatureError(
                    .invalidCommerceRequest,
                    "The request must be an object with operation, version and"
                        + " requestInfo.requestReferenceId, of at most"
                        + " \(SignatureRequest.requestByteCount) bytes.")
            }
        }
    }

    /// The separator of the first form (U+2063) and control characters would change what is signed.
    static func require(_ text: String, _ name: String) throws(SignatureError) {
        guard (1...textByteCount).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw SignatureError(
                .invalidSignatureField,
                "The \(name) must have 1 to \(textByteCount) printable ASCII characters, and no"
                    + " spaces.")
        }
    }
}
