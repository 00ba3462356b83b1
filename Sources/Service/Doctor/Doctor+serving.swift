internal import Intake

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
