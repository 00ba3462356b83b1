import Foundation
internal import Intake

extension ServiceConfiguration {
    /// A file that holds secrets or a private key.
    public struct SecretPath: Sendable, Equatable {
        /// The setting that names it, e.g. `apps[0].sharedSecretFile`.
        public let key: String
        public let path: String

        /// Whether its group or others can read or write it. False for a missing file, which its
        /// reader reports.
        public var isOpenToOthers: Bool { SecretPath.isOpenToOthers(path) }

        public static func isOpenToOthers(_ path: String) -> Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
        }

        /// The warning about a file that is open to others.
        public var warning: String {
            "\(path) (\(key)) can be read by users other than its owner; run chmod 600 on it."
        }
    }

    /// Every file of secrets and private keys, in the order of the configuration.
    public var secretPaths: [SecretPath] {
        var paths: [SecretPath] = []
        for app in ledger.apps {
            if let path = app.sharedSecretFile {
                paths.append(SecretPath(key: "\(app.key).sharedSecretFile", path: path))
            }
            if let path = app.api?.privateKeyFile {
                paths.append(SecretPath(key: "\(app.key).api.privateKeyFile", path: path))
            }
        }
        if let path = server.tls?.privateKeyFile {
            paths.append(SecretPath(key: "server.tls.privateKeyFile", path: path))
        }
        for audit in audits {
            paths.append(SecretPath(key: "\(audit.key).keyFile", path: audit.keyFile))
        }
        for (index, webhook) in webhooks.enumerated() {
            paths.append(SecretPath(key: "webhooks[\(index)].secretFile", path: webhook.secretFile))
        }
        return paths
    }
}
