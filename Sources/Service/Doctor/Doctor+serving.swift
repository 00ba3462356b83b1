internal import Intake
internal import LedgerStore
internal import Projection

extension Doctor {
    // MARK: Service settings

    /// Checks every webhook's secret, read as the service reads it.
    func webhooks() -> [Finding] {
        configuration.webhooks.enumerated().map { index, webhook in
            Finding("webhook \(webhook.name)", passing: "secret usable") {
                () throws(ConfigurationError) in
                _ = try WebhookSecret(
                    file: webhook.secretFile, key: "webhooks[\(index)].secretFile")
            }
        }
    }

    /// Checks every key that signs checkpoints.
    func audits() -> [Finding] {
        configuration.audits.map { audit in
            Finding("audit of \(audit.origin)", passing: "key usable") {
                () throws(ConfigurationError) in
                _ = try audit.signerKey()
            }
        }
    }

    /// Files of secrets and private keys that users other than their owner can read.
    func openSecrets() -> [Finding] {
        configuration.secretPaths.filter(\.isOpenToOthers).map {
            Finding(.bad, "secrets", $0.warning)
        }
    }

    /// Checks whether the service may listen on the configured address.
    func server() -> [Finding] {
        let server = configuration.server
        let who = server.tokens.isEmpty ? "without tokens, on loopback only" : "with tokens"
        return [
            Finding("server", passing: "\(server.host):\(server.port), \(who)") {
                () throws(ConfigurationError) in try server.requireGuarded()
            }
        ]
    }
}

extension Doctor {
    /// What weakens a log in a database; nothing for a log in a file.
    func database(_ ledger: EnvironmentLedger) async throws(StoreError) -> [Finding] {
        guard let log = ledger.log as? any SharedLog else { return [] }
        let found = try await log.weaknesses()
        guard !found.isEmpty else {
            return [Finding(.good, "database", "durable and verified")]
        }
        return found.map { Finding($0.isSevere ? .bad : .warning, "database", $0.message) }
    }
}
