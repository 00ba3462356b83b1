public import AppStore
import Signing

/// Credentials of an app's requests to Apple: an In-App Purchase key of App Store Connect (Users
/// and Access, Integrations). Never printed: neither description nor mirror contain it.
public struct APICredentials: Sendable, Undisclosed {
    let keyId: String
    let issuerId: String
    let bundleId: BundleId
    let key: PrivateKey

    /// Why a key cannot be used. Contains nothing of the key.
    public enum Problem: String, Error, Sendable {
        /// Not a single unencrypted PKCS#8 private key in PEM, as in a `.p8` file.
        case noPrivateKey
        /// A key, but not on P-256, the only curve ES256 takes.
        case wrongCurve
        /// The key id or issuer id is empty, too long or contains control characters.
        case unusableId
    }

    /// The key of a `.p8` file, with its id in App Store Connect and its account's, for one app.
    public init(
        keyId: String, issuerId: String, bundleId: BundleId, pem: [UInt8]
    ) throws(Problem) {
        for id in [keyId, issuerId] {
            let isUsable =
                (1...256).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            guard isUsable else { throw .unusableId }
        }
        do throws(SigningError) { key = try PrivateKey(pem: pem) } catch {
            throw error.code == .wrongCurve ? .wrongCurve : .noPrivateKey
        }
        guard key.curve == .p256 else { throw .wrongCurve }
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
    }
}
