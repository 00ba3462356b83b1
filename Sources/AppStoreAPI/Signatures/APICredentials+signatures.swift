public import AppStore
import Signing

extension APICredentials {
    /// Signs what an app passes to StoreKit, with the key of the app's requests to Apple.
    ///
    /// - Parameters:
    ///   - request: what is signed, refused where Apple would refuse it.
    ///   - nonce: a UUID, a new one for every signature.
    ///   - now: the time of signing.
    ///
    /// Throws `SignatureError`.
    public func sign(
        _ request: SignatureRequest, nonce: String, at now: Timestamp
    ) throws(SignatureError) -> AppSignature {
        try request.requireSignable()
        try SignatureRequest.require(nonce, "nonce")
        let nonce = nonce.lowercased()
        let signature: String
        do throws(SigningError) {
            if case .promotionalOfferV1(let productId, let offerId, let token) = request {
                let values = [
                    bundleId.rawValue, keyId, productId.rawValue, offerId,
                    token?.lowercased() ?? "", nonce, String(now.milliseconds),
                ]
                signature = try sign(joining: values)
            } else {
                signature = try CompactJWS.signJWT(
                    keyId: keyId, claims: claims(of: request, nonce: nonce, at: now), key: key)
            }
        } catch {
            throw SignatureError(.signingFailed, "The key cannot sign (\(error.code.rawValue)).")
        }
        return AppSignature(
            kind: request.kind, bundleId: bundleId, keyId: keyId, signature: signature,
            nonce: nonce, timestamp: now)
    }

    /// The first form of a promotional offer: ECDSA over the values joined by U+2063, in DER and
    /// base64.
    private func sign(joining values: [String]) throws(SigningError) -> String {
        let message = Array(values.joined(separator: "\u{2063}").utf8)
        let signature = try key.sign(digest: SHA256.hash(message).bytes)
        return String(decoding: Base64.standard.encode(signature), as: UTF8.self)
    }

    /// The JWT of a request to the App Store Server API (Generating JSON Web Tokens for API
    /// requests): ES256, with times in seconds since 1970.
    func requestToken(issuedAtSeconds seconds: Int64) throws(SigningError) -> String {
        let claims = JSONWriter.object { json in
            json.member("iss", issuerId)
            json.member("iat", seconds)
            json.member("exp", seconds + APILimits.tokenLifeSeconds)
            json.member("aud", "appstoreconnect-v1")
            json.member("bid", bundleId)
        }
        return try CompactJWS.signJWT(keyId: keyId, claims: claims, key: key)
    }

    /// The common claims, and those of the request.
    private func claims(
        of request: SignatureRequest, nonce: String, at now: Timestamp
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.member("iss", issuerId)
            json.member("iat", now.milliseconds / 1_000)
            json.member("bid", bundleId)
            json.member("aud", request.audience)
            json.member("nonce", nonce)
            request.writeClaims(to: &json)
        }
    }
}

extension SignatureRequest {
    /// The claims that only this kind has.
    fileprivate func writeClaims(to json: inout JSONWriter) {
        switch self {
        case .promotionalOffer(let productId, let offerId, let transactionId):
            json.member("productId", productId)
            json.member("offerIdentifier", offerId)
            json.memberIfPresent("transactionId", transactionId)
        case .introductoryOffer(let productId, let isAllowed, let transactionId):
            json.member("productId", productId)
            json.member("allowIntroductoryOffer", isAllowed)
            json.member("transactionId", transactionId)
        case .advancedCommerce(let request):
            let text = Base64.standard.encode(request.encoded())
            json.member("request", String(decoding: text, as: UTF8.self))
        case .promotionalOfferV1: break
        }
    }
}
