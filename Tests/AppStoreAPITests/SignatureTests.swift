import AppStore
import AppStoreAPI
import Simulator
import Testing

@testable import Signing

@Suite("Signatures that apps pass to StoreKit")
struct SignatureTests {
    private static let nonce = "0AB11111-2222-4333-8444-555555555555"
    private static let product = ProductId("com.example.pro")

    private static func sign(
        _ request: SignatureRequest, nonce: String = SignatureTests.nonce
    ) throws -> AppSignature {
        try Asked.credentials().sign(request, nonce: nonce, at: Asked.start)
    }

    private static func code(_ request: SignatureRequest) -> SignatureError.Code? {
        do {
            _ = try sign(request)
            return nil
        } catch { return (error as? SignatureError)?.code }
    }

    private static func isSigned(_ signature: [UInt8], over message: [UInt8]) throws -> Bool {
        let info = try PrivateKey(pem: Asked.key.pem).publicKeyInfo
        let key = try #require(VerificationKey(publicKeyInfo: info))
        return key.isValid(signature, over: SHA256.hash(message))
    }

    /// The claims of a JWS by the key of `Asked`, with the header that Apple requires.
    private static func claims(_ request: SignatureRequest) throws -> JSONValue {
        let token = try CompactJWS(parsing: Array(try sign(request).signature.utf8))
        let input = CompactJWS.signingInput(
            headerSegment: token.headerSegment, payload: token.payload)
        #expect(try isSigned(token.signature, over: input))
        let header = try JSONValue.parse(try #require(Base64.url.decode(token.headerSegment)))
        #expect(header["alg"]?.string == "ES256" && header["typ"]?.string == "JWT")
        #expect(header["kid"]?.string == Asked.key.keyId && header.object?.count == 3)
        return try JSONValue.parse(token.payload)
    }

    /// The claims without those of every signature, which are checked.
    private static func ownClaims(
        _ request: SignatureRequest, audience: String
    ) throws -> [JSONMember] {
        let claims = try claims(request)
        #expect(claims["iss"]?.string == Asked.key.issuerId)
        #expect(claims["iat"]?.int64 == Asked.start.milliseconds / 1_000)
        #expect(claims["bid"]?.string == Asked.app.rawValue)
        #expect(claims["aud"]?.string == audience)
        #expect(claims["nonce"]?.string == nonce.lowercased())
        let common: Set<String> = ["iss", "iat", "bid", "aud", "nonce"]
        return (claims.object ?? []).filter { !common.contains($0.key) }
    }

    private static func commerce(bytes count: Int) throws -> JSONValue {
        let empty =
            #"{"operation":"CREATE_SUBSCRIPTION","version":"1","#
            + #""requestInfo":{"requestReferenceId":"x"},"text":""}"#
        let text = String(repeating: "t", count: count - empty.utf8.count)
        return try JSONValue.parse(
            Array(empty.replacing(#""text":"""#, with: "\"text\":\"\(text)\"").utf8))
    }

    // MARK: Refused

    @Test(
        "A text that would change what is signed is refused, in every place",
        arguments: [
            "", "a b", "a\u{2063}b", "a\nb", "ä", "\u{7F}",
            String(repeating: "x", count: SignatureRequest.textByteCount + 1),
        ])
    func texts(_ text: String) {
        let requests: [SignatureRequest] = [
            .promotionalOffer(productId: ProductId(text), offerId: "o", transactionId: nil),
            .promotionalOffer(
                productId: SignatureTests.product, offerId: text, transactionId: nil),
            .promotionalOffer(
                productId: SignatureTests.product, offerId: "o", transactionId: text),
            .promotionalOfferV1(productId: ProductId(text), offerId: "o", appAccountToken: nil),
            .promotionalOfferV1(
                productId: SignatureTests.product, offerId: text, appAccountToken: nil),
            .introductoryOffer(productId: ProductId(text), isAllowed: true, transactionId: "1"),
            .introductoryOffer(
                productId: SignatureTests.product, isAllowed: true, transactionId: text),
        ]
        for request in requests {
            #expect(SignatureTests.code(request) == .invalidSignatureField, "\(request)")
        }
        let error = #expect(throws: SignatureError.self) {
            try SignatureTests.sign(
                .introductoryOffer(
                    productId: SignatureTests.product, isAllowed: true, transactionId: "1"),
                nonce: text)
        }
        #expect(error?.code == .invalidSignatureField)
        let token = SignatureRequest.promotionalOfferV1(
            productId: SignatureTests.product, offerId: "o", appAccountToken: text)
        // Empty means none.
        #expect(SignatureTests.code(token) == (text.isEmpty ? nil : .invalidSignatureField))
    }

    @Test(
        "What is no Advanced Commerce request is refused",
        arguments: [
            "null", "[]", "{}", #"{"operation":"X","version":"1"}"#,
            #"{"operation":"X","requestInfo":{"requestReferenceId":"x"}}"#,
            #"{"version":"1","requestInfo":{"requestReferenceId":"x"}}"#,
            #"{"operation":"X","version":1,"requestInfo":{"requestReferenceId":"x"}}"#,
        ])
    func commerce(_ text: String) throws {
        let request = try JSONValue.parse(Array(text.utf8))
        #expect(
            SignatureTests.code(.advancedCommerce(request: request)) == .invalidCommerceRequest)
    }

    @Test("At its bound a value is signed, and one past it is not")
    func bounds() throws {
        let longest = String(repeating: "x", count: SignatureRequest.textByteCount)
        #expect(
            SignatureTests.code(
                .promotionalOffer(
                    productId: ProductId(longest), offerId: longest, transactionId: longest))
                == nil)
        let limit = SignatureRequest.requestByteCount
        for (count, code) in [
            (limit, nil), (limit + 1, .invalidCommerceRequest),
        ] as [(Int, SignatureError.Code?)] {
            let request = try SignatureTests.commerce(bytes: count)
            #expect(request.encoded().count == count)
            #expect(SignatureTests.code(.advancedCommerce(request: request)) == code)
        }
    }

    @Test("An error has none of the values")
    func errors() {
        do {
            _ = try SignatureTests.sign(
                .promotionalOffer(
                    productId: ProductId("secret word"), offerId: "o", transactionId: nil))
            Issue.record("It was signed.")
        } catch { #expect(!"\(error)".contains("secret")) }
    }

    // MARK: Signed

    @Test("A promotional offer names product and offer, and a transaction where one is given")
    func promotionalOffer() throws {
        for transaction in [nil, "2000"] as [String?] {
            let own = try SignatureTests.ownClaims(
                .promotionalOffer(
                    productId: SignatureTests.product, offerId: "comeback",
                    transactionId: transaction), audience: "promotional-offer")
            let expected = [
                JSONMember(key: "productId", value: .string("com.example.pro")),
                JSONMember(key: "offerIdentifier", value: .string("comeback")),
            ]
            #expect(
                own
                    == expected
                    + (transaction.map { [JSONMember(key: "transactionId", value: .string($0))] }
                        ?? []))
        }
    }

    @Test("An introductory offer is allowed or denied", arguments: [true, false])
    func introductoryOffer(_ isAllowed: Bool) throws {
        let own = try SignatureTests.ownClaims(
            .introductoryOffer(
                productId: SignatureTests.product, isAllowed: isAllowed, transactionId: "2000"),
            audience: "introductory-offer-eligibility")
        #expect(
            own == [
                JSONMember(key: "productId", value: .string("com.example.pro")),
                JSONMember(key: "allowIntroductoryOffer", value: .bool(isAllowed)),
                JSONMember(key: "transactionId", value: .string("2000")),
            ])
    }

    @Test("An Advanced Commerce request is signed as it is, in base64")
    func advancedCommerce() throws {
        let request = try SignatureTests.commerce(bytes: 500)
        let own = try SignatureTests.ownClaims(
            .advancedCommerce(request: request), audience: "advanced-commerce-api")
        let text = try #require(own.first?.value.string)
        #expect(own.map(\.key) == ["request"])
        #expect(Base64.standard.decode(Array(text.utf8)) == request.encoded())
    }

    @Test(
        "The first form signs the joined values, the token in lower case",
        arguments: [(nil, ""), ("", ""), ("F3A86F0D-52BE", "f3a86f0d-52be")]
            as [(String?, String)])
    func firstForm(token: String?, signed: String) throws {
        let made = try SignatureTests.sign(
            .promotionalOfferV1(
                productId: SignatureTests.product, offerId: "comeback", appAccountToken: token))
        #expect(made.kind == .promotionalOfferV1 && made.bundleId == Asked.app)
        #expect(made.keyId == Asked.key.keyId && made.timestamp == Asked.start)
        #expect(made.nonce == SignatureTests.nonce.lowercased())
        let message = [
            Asked.app.rawValue, Asked.key.keyId, "com.example.pro", "comeback", signed,
            made.nonce, "\(Asked.start.milliseconds)",
        ].joined(separator: "\u{2063}")
        let der = try #require(Base64.standard.decode(Array(made.signature.utf8)))
        let raw = try #require(ES256Signature.raw(der: der))
        #expect(try SignatureTests.isSigned(raw, over: Array(message.utf8)))
    }
}
