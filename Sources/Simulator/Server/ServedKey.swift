import AppStore
internal import Signing

/// The In-App Purchase key that the simulated API accepts, with both halves.
public struct ServedKey: Sendable {
    /// Both ids are in Apple's format.
    public let keyId: String
    public let issuerId = "57246542-96fe-1a63-e053-0824d011072a"
    /// The `.p8` file for the client: an unencrypted secret, for simulators only.
    public let pem: [UInt8]
    private let publicKeyInfo: [UInt8]

    /// Tolerated clock difference (App Store Server API: nothing is documented; a minute is usual).
    static let toleranceSeconds: Int64 = 60
    /// Longest token lifetime that Apple accepts.
    static let longestLifeSeconds: Int64 = 3_600

    /// A new key, or the one in `pem`. Throws when that contains none on P-256.
    public init(keyId: String = "SIMULATED1", pem: [UInt8]? = nil) throws {
        let key = try pem.map { try PrivateKey(pem: $0) } ?? PrivateKey(generating: .p256)
        self.keyId = keyId
        self.pem = try pem ?? key.pem()
        publicKeyInfo = key.publicKeyInfo
    }

    private func isSigned(_ token: CompactJWS) -> Bool {
        let input = CompactJWS.signingInput(
            headerSegment: token.headerSegment, payload: token.payload)
        return VerificationKey(publicKeyInfo: publicKeyInfo)?
            .isValid(token.signature, over: SHA256.hash(input)) ?? false
    }

    /// Whether Apple would accept the header's bearer token at that time (Generating JSON Web
    /// Tokens for API requests).
    func accepts(_ authorization: String?, bundleId: BundleId, at now: Timestamp) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer "),
            let token = try? CompactJWS(parsing: Array(authorization.utf8.dropFirst(7))),
            let headerBytes = Base64.url.decode(token.headerSegment),
            let header = try? JSONValue.parse(headerBytes),
            let claims = try? JSONValue.parse(token.payload),
            header["alg"]?.string == "ES256", header["kid"]?.string == keyId,
            header["typ"]?.string == "JWT", claims["iss"]?.string == issuerId,
            claims["aud"]?.string == "appstoreconnect-v1",
            claims["bid"]?.string == bundleId.rawValue,
            let expires = claims["exp"]?.int64
        else { return false }
        let seconds = now.milliseconds / 1_000
        // Apple's own libraries for servers leave it out.
        let issued = claims["iat"].map { $0.int64 ?? .max } ?? seconds
        let isInTime =
            issued <= seconds + ServedKey.toleranceSeconds && expires > seconds
            && expires > issued && expires - issued <= ServedKey.longestLifeSeconds
        return isInTime && isSigned(token)
    }
}
