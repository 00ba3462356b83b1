public import AppStore
public import AppStoreAPI
public import Intake
import Signing

extension APICredentials {
    /// The credentials of an app with the key in its file. Throws `ConfigurationError` that names
    /// the setting below `key`, e.g. `apps[0].api`, and discloses no content.
    ///
    /// - `isPipeAllowed`: whether the file may be a pipe, in which reading may wait without end.
    public init(
        _ api: Configuration.API, bundleId: BundleId, key: String, isPipeAllowed: Bool = false
    ) throws(ConfigurationError) {
        guard isPipeAllowed || !InputFile.isSpecial(api.privateKeyFile) else {
            throw ConfigurationError(
                .unreadableFile, key: "\(key).privateKeyFile", reason: SecretFile.irregular)
        }
        let bound = PrivateKey.maximumPEMByteCount
        guard let pem = InputFile.readFile(api.privateKeyFile, limit: bound), pem.count <= bound
        else {
            throw ConfigurationError(
                .unreadableFile, key: "\(key).privateKeyFile",
                reason: "It is unreadable or over \(bound) bytes; check path and permissions.")
        }
        do throws(Problem) {
            try self.init(
                keyId: api.keyId, issuerId: api.issuerId, bundleId: bundleId, pem: pem)
        } catch {
            switch error {
            case .noPrivateKey, .wrongCurve:
                throw ConfigurationError(
                    .invalidValue, key: "\(key).privateKeyFile",
                    reason: "The file must hold an In-App Purchase key downloaded from App Store"
                        + " Connect: PEM, P-256.")
            case .unusableId:
                throw ConfigurationError(
                    .invalidValue, key: "\(key).keyId",
                    reason: "keyId and issuerId must have 1 to 256 bytes, without spaces.")
            }
        }
    }
}
