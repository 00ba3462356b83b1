package import AppStore

/// The JWT of a request to the App Store Server API (Generating JSON Web Tokens for API requests):
/// ES256 with an In-App Purchase key.
package struct ClientToken: Sendable {
    /// The audience that Apple requires.
    package static let audience = "appstoreconnect-v1"

    let keyId: String
    let issuerId: String
    let bundleId: BundleId
    let issuedAtSeconds: Int64
    let lifeSeconds: Int64

    /// The id of the key in App Store Connect and of the account, the app, and seconds since 1970.
    package init(
        keyId: String, issuerId: String, bundleId: BundleId, issuedAtSeconds: Int64,
        lifeSeconds: Int64
    ) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
        self.issuedAtSeconds = issuedAtSeconds
        self.lifeSeconds = lifeSeconds
    }

    /// The token in compact form. Throws `wrongCurve` for a key that is not on P-256.
    package func sign(with key: PrivateKey) throws(SigningError) -> String {
        var header = JSONWriter()
        header.object { json in
            json.member("alg", "ES256")
            json.member("kid", keyId)
            json.member("typ", "JWT")
        }
        var claims = JSONWriter()
        claims.object { json in
            json.member("iss", issuerId)
            json.member("iat", issuedAtSeconds)
            json.member("exp", issuedAtSeconds + lifeSeconds)
            json.member("aud", ClientToken.audience)
            json.member("bid", bundleId)
        }
        let token = try CompactJWS.sign(header: header.bytes, payload: claims.bytes, key: key)
        return String(decoding: token, as: UTF8.self)
    }
}
