public import AppStore

/// A signature for StoreKit, with what the app passes along.
public struct AppSignature: Hashable, Sendable {
    /// What was signed.
    public let kind: SignatureRequest.Kind
    public let bundleId: BundleId
    /// The key's id in App Store Connect.
    public let keyId: String
    /// The JWS in compact form; of `promotionalOfferV1` the DER signature in base64.
    public let signature: String
    /// Unique to the signature: a UUID in lower case.
    public let nonce: String
    /// When it was signed. Apple accepts a promotional offer for 24 hours.
    public let timestamp: Timestamp

    /// The members of the signature in the output. The timestamp is in milliseconds, as StoreKit
    /// takes it.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        json.member("bundleId", bundleId)
        json.member("keyId", keyId)
        json.member("signature", signature)
        json.member("nonce", nonce)
        json.member("timestamp", timestamp.milliseconds)
    }
}
