import AppStoreAPI
internal import AppleSync
internal import Intake
internal import LedgerStore
internal import Projection

extension Doctor {
    // MARK: Service settings

    /// Checks the keys and secrets of apps, webhooks and checkpoints, read as the service reads
    /// them.
    func secrets() -> [Finding] {
        var findings: [Finding] = []
        func check(
            _ subject: String, _ message: String, _ read: () throws(ConfigurationError) -> Void
        ) { findings.append(Finding(subject, passing: message, read)) }
        for app in configuration.apps {
            guard let api = app.api else { continue }
            check("key of \(app.bundleId)", "usable") { () throws(ConfigurationError) in
                _ = try APICredentials(api, bundleId: app.bundleId, key: "\(app.key).api")
            }
        }
        for app in configuration.apps {
            guard let file = app.sharedSecretFile else { continue }
            check("shared secret of \(app.bundleId)", "usable") { () throws(ConfigurationError) in
                _ = try SharedSecret(file: file, key: "\(app.key).sharedSecretFile")
            }
        }
        for (index, hook) in configuration.webhooks.enumerated() {
            check("webhook \(hook.name)", "secret usable") { () throws(ConfigurationError) in
                _ = try WebhookSecret(file: hook.secretFile, key: "webhooks[\(index)].secretFile")
            }
        }
        for audit in configuration.audits {
            check("audit of \(audit.origin)", "key usable") { () throws(ConfigurationError) in
                _ = try audit.signerKey()
            }
        }
        findings += configuration.originWarnings.map { Finding(.warning, "audit", $0) }
        let served = LedgerHost.usualEnvironments + [environment]
        findings += configuration.idleWebhookWarnings(serving: served).map {
            Finding(.warning, "webhooks", $0)
        }
        findings += configuration.unusableRetentionRuleWarnings(serving: served).map {
            Finding(.warning, "retention", $0)
        }
        return findings
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
