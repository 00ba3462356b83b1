public import AppStore
import Signing

/// What an app asks Apple with: an In-App Purchase key of App Store Connect (Users and Access,
/// Integrations). Never printed: neither its description nor its mirror shows any of it.
public struct APICredentials: Sendable {
    let keyId: String
    let issuerId: String
    let bundleId: BundleId
    let key: PrivateKey

    /// Why a key cannot be used. Says nothing of the key.
    public enum Problem: String, Error, Sendable {
        /// Not one unencrypted PKCS#8 private key in PEM, as a `.p8` file holds it.
        case noPrivateKey
        /// A key, but not on P-256, the only curve ES256 takes.
        case wrongCurve
        /// The key id or issuer id is empty, too long or holds control characters.
        case unusableId
    }

    /// - Parameters:
    ///   - keyId: of the key in App Store Connect.
    ///   - issuerId: of the account.
    ///   - bundleId: the app that is asked about.
    ///   - pem: what the `.p8` file holds.
    public init(
        keyId: String, issuerId: String, bundleId: BundleId, pem: [UInt8]
    ) throws(Problem) {
        for id in [keyId, issuerId] {
            let isUsable =
                (1...256).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            guard isUsable else { throw .unusableId }
        }
        do throws(MintingError) { key = try PrivateKey(pem: pem) } catch {
            throw error.code == .wrongCurve ? .wrongCurve : .noPrivateKey
        }
        guard key.curve == .p256 else { throw .wrongCurve }
        self.keyId = keyId
        self.issuerId = issuerId
        self.bundleId = bundleId
    }
}

extension APICredentials: CustomStringConvertible, CustomReflectable {
    public var description: String { "APICredentials" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
