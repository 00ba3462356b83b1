internal import Intake

extension Doctor {
    // MARK: Service settings

    /// Checks every webhook's secret, read as the service reads it.
    func webhooks() -> [Finding] {
        configuration.webhooks.enumerated().map { index, webhook in
            let subject = "webhook \(webhook.name)"
            do throws(ConfigurationError) {
                _ = try WebhookSecret(
                    file: webhook.secretFile, key: "webhooks[\(index)].secretFile")
                return Finding(level: .good, subject: subject, message: "secret usable")
            } catch {
                return Finding(level: .bad, subject: subject, message: error.description)
            }
        }
    }

    /// Files of secrets and private keys that users other than their owner can read.
    func openSecrets() -> [Finding] {
        configuration.secretPaths.filter(\.isOpenToOthers).map {
            Finding(level: .bad, subject: "secrets", message: $0.warning)
        }
    }

    /// Checks whether the service may listen on the configured address.
    func server() -> [Finding] {
        let server = configuration.server
        do throws(ConfigurationError) {
            try server.requireGuarded()
            let who = server.tokens.isEmpty ? "without tokens, on loopback only" : "with tokens"
            return [
                Finding(
                    level: .good, subject: "server",
                    message: "\(server.host):\(server.port), \(who)")
            ]
        } catch {
            return [Finding(level: .bad, subject: "server", message: error.description)]
        }
    }
}
