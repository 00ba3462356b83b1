import Foundation
internal import Intake

extension ServiceConfiguration {
    /// A file that holds secrets or a private key.
    public struct SecretPath: Sendable, Equatable {
        /// The setting that names it, e.g. `apps[0].sharedSecretFile`.
        public let key: String
        public let path: String

        /// Whether its group or everybody can read or write it. False for one that is not there:
        /// whatever reads it says so.
        public var isOpenToOthers: Bool {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
        }

        /// What is wrong with one that is open to others, and what to do.
        public var warning: String {
            "\(path) (\(key)) can be read by others than its owner: chmod 600 keeps them out."
        }
    }

    /// Every file of secrets and private keys, in the order of the configuration.
    public var secretPaths: [SecretPath] {
        var paths: [SecretPath] = []
        for (index, app) in ledger.apps.enumerated() {
            if let path = app.sharedSecretFile {
                paths.append(SecretPath(key: "apps[\(index)].sharedSecretFile", path: path))
            }
            if let path = app.api?.privateKeyFile {
                paths.append(SecretPath(key: "apps[\(index)].api.privateKeyFile", path: path))
            }
        }
        if let path = server.tls?.privateKeyFile {
            paths.append(SecretPath(key: "server.tls.privateKeyFile", path: path))
        }
        for (index, webhook) in webhooks.enumerated() {
            paths.append(SecretPath(key: "webhooks[\(index)].secretFile", path: webhook.secretFile))
        }
        return paths
    }
}
