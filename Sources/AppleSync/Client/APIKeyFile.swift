public import AppStore
public import AppStoreAPI
import Foundation
public import Intake

/// An app's In-App Purchase key file, read once when the client is created.
public struct APIKeyFile: Sendable, Equatable, Undisclosed {
    public let path: String
    /// Whether users other than its owner can read it.
    public let isReadableByOthers: Bool
    private let pem: [UInt8]

    /// Largest accepted file: a `.p8` has some 260 bytes.
    public static let maximumByteCount = 16 * 1_024

    /// Reads the file. Throws `ConfigurationError` that names `key` and discloses no content.
    public init(path: String, key: String) throws(ConfigurationError) {
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile, let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                .unreadableFile, key: key,
                reason: "The file cannot be read; check its path and permissions.")
        }
        guard data.count <= APIKeyFile.maximumByteCount else {
            throw ConfigurationError(
                .invalidValue, key: key, reason: APIKeyFile.expected)
        }
        self.path = path
        isReadableByOthers = status.st_mode & 0o077 != 0
        pem = Array(data)
    }

    private static let expected =
        "The file must hold an In-App Purchase key downloaded from App Store Connect: PEM, P-256."

    /// The credentials of an app with this key. Throws `ConfigurationError` that names the setting
    /// below `key`, e.g. `apps[0].api`.
    public func credentials(
        _ api: Configuration.API, bundleId: BundleId, key: String
    ) throws(ConfigurationError) -> APICredentials {
        do throws(APICredentials.Problem) {
            return try APICredentials(
                keyId: api.keyId, issuerId: api.issuerId, bundleId: bundleId, pem: pem)
        } catch {
            switch error {
            case .noPrivateKey, .wrongCurve:
                throw ConfigurationError(
                    .invalidValue, key: "\(key).privateKeyFile", reason: APIKeyFile.expected)
            case .unusableId:
                throw ConfigurationError(
                    .invalidValue, key: "\(key).keyId",
                    reason: "keyId and issuerId are ids without spaces.")
            }
        }
    }
}
