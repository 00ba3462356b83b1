package import AppStore

/// The JWT of a request to the App Store Server API (Generating JSON Web Tokens for API requests):
/// ES256 with an In-App Purchase key.
package enum ClientToken {
    /// The audience that Apple requires.
    package static let audience = "appstoreconnect-v1"

    /// The token in compact form, for the ids of the key in App Store Connect and of the account,
    /// with times in seconds since 1970. Throws `wrongCurve` for a key that is not on P-256.
    package static func sign(
        keyId: String, issuerId: String, bundleId: BundleId, issuedAtSeconds: Int64,
        lifeSeconds: Int64, with key: PrivateKey
    ) throws(SigningError) -> String {
        var claims = JSONWriter()
        claims.object { json in
            json.member("iss", issuerId)
            json.member("iat", issuedAtSeconds)
            json.member("exp", issuedAtSeconds + lifeSeconds)
            json.member("aud", ClientToken.audience)
            json.member("bid", bundleId)
        }
        return try CompactJWS.signJWT(keyId: keyId, claims: claims.bytes, key: key)
    }
}
