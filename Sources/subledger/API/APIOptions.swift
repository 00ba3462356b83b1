import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Intake
import Service

/// The API key, where the configuration names none.
struct APIKeyOptions: ParsableArguments {
    @Option(help: "The In-App Purchase key's id (default: apps[].api.keyId).")
    var keyId: String?

    @Option(help: "The account's issuer id (default: apps[].api.issuerId).")
    var issuerId: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "The key's .p8 file (default: apps[].api.privateKeyFile).", valueName: "file"),
        completion: .file())
    var keyFile: String?

    fileprivate var isStated: Bool { keyId != nil || issuerId != nil || keyFile != nil }
}

/// The API key and where to send requests.
struct APIOptions: ParsableArguments {
    @OptionGroup var key: APIKeyOptions

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "Base URL instead of Apple's hosts (default: apps[].api.baseUrl).", valueName: "url"))
    var baseUrl: String?
}

extension Settings {
    /// The app to call Apple about: the named one, or the only one with a key.
    func selectedApp(
        _ options: APIKeyOptions, baseUrl: String? = nil
    ) throws(CommandFailure) -> Configuration.App {
        let apps = try requiredApps()
        let found = options.isStated ? apps : apps.filter { $0.api != nil }
        guard found.count <= 1 else {
            throw CommandFailure(
                "ambiguousApp", "Several apps have a key; name one with --bundle-id.", .usage)
        }
        guard var app = found.first else {
            throw CommandFailure(
                ConfigurationError.Code.missingKey,
                "No key for requests to Apple: list it under `apps[].api` in the"
                    + " configuration, or give --key-id, --issuer-id and --key-file.",
                .configuration)
        }
        guard let keyId = options.keyId ?? app.api?.keyId,
            let issuerId = options.issuerId ?? app.api?.issuerId,
            let file = options.keyFile ?? app.api?.privateKeyFile
        else {
            throw CommandFailure(
                ConfigurationError.Code.missingKey,
                "--key-id, --issuer-id and --key-file must be given together.", .configuration)
        }
        app.api = Configuration.API(
            keyId: keyId, issuerId: issuerId, privateKeyFile: file,
            baseUrl: baseUrl ?? app.api?.baseUrl)
        return app
    }

    /// The apps to call Apple about: the named one, else all with a key. Throws when there is none.
    func selectedApps(_ options: APIOptions) throws(CommandFailure) -> [Configuration.App] {
        var keyed = try requiredApps().filter { $0.api != nil }
        guard options.key.isStated || keyed.count < 2 else {
            guard let baseUrl = options.baseUrl else { return keyed }
            for index in keyed.indices { keyed[index].api?.baseUrl = baseUrl }
            return keyed
        }
        return [try selectedApp(options.key, baseUrl: options.baseUrl)]
    }

    /// The clients of apps with a key.
    func clients(
        of apps: [Configuration.App], _ transport: any APITransport
    ) throws -> [BundleId: AppStoreServerAPIClient] {
        try apps.reduce(into: [:]) { $0[$1.bundleId] = try client(for: $1, transport) }
    }

    /// The client for an app, with its key.
    func client(
        for app: Configuration.App, _ transport: any APITransport
    ) throws -> AppStoreServerAPIClient {
        client(for: app, try credentials(of: app), transport)
    }

    /// The client for an app whose key was read before.
    func client(
        for app: Configuration.App, _ key: APICredentials, _ transport: any APITransport
    ) -> AppStoreServerAPIClient {
        AppStoreServerAPIClient(
            credentials: key,
            hosts: app.api?.baseUrl.map { APIHosts(baseUrl: $0) } ?? .apple,
            transport: transport)
    }

    /// Warns of keys that other users can read. A service logs it instead (`secretOpenToOthers`).
    func warnOfOpenKeys(of apps: [Configuration.App]) {
        for file in apps.compactMap(\.api?.privateKeyFile)
        where ServiceConfiguration.SecretPath.isOpenToOthers(file) {
            Terminal.note(
                "warning: \(file) can be read by other users; run chmod 600 on it")
        }
    }

    /// The key of an app.
    func credentials(of app: Configuration.App) throws -> APICredentials {
        guard let api = app.api else {
            throw CommandFailure(
                ConfigurationError.Code.missingKey, "\(app.bundleId) has no key.", .configuration)
        }
        let key = "\(app.key).api"
        let configured = configuration.ledger.app(app.bundleId)?.api
        do throws(ConfigurationError) {
            try api.requireUsable(key: key)
            return try APICredentials(
                api, bundleId: app.bundleId, key: key,
                isPipeAllowed: api.privateKeyFile != configured?.privateKeyFile)
        } catch {
            throw error.naming(api, over: configured, key)
        }
    }
}

extension ConfigurationError {
    /// The same, naming the option that gave the value instead of the setting below `setting`.
    fileprivate func naming(
        _ api: Configuration.API, over configured: Configuration.API?, _ setting: String
    ) -> ConfigurationError {
        let option: String? =
            switch key {
            case "\(setting).privateKeyFile" where api.privateKeyFile != configured?.privateKeyFile:
                "--key-file"
            case "\(setting).baseUrl" where api.baseUrl != configured?.baseUrl: "--base-url"
            case "\(setting).keyId" where api.keyId != configured?.keyId: "--key-id"
            case "\(setting).keyId" where api.issuerId != configured?.issuerId: "--issuer-id"
            default: nil
            }
        return option.map { ConfigurationError(code, key: $0, reason: reason) } ?? self
    }
}
