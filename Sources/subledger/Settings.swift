import AppStore
import AppStoreAPI
import Foundation
import Intake
import Projection
import Service
import Signing
import Synchronization

/// Trusted roots, read when they are first needed, and once: a pipe can be read only once.
private final class ReadRoots: Sendable {
    let known = Mutex<TrustedRoots?>(nil)
}

/// The resolved options of a command.
struct Settings {
    var configuration: ServiceConfiguration
    let environment: Environment
    /// Whether the operator named the environment; otherwise it is the default.
    let isEnvironmentNamed: Bool
    /// The app the operator named, to which the command is then limited.
    let bundleId: BundleId?
    private let roots = ReadRoots()

    /// - Parameter usualFile: the configuration file that is read where none is named; nil: none.
    init(
        _ options: SharedOptions, usualFile: String? = ServiceConfiguration.defaultFile
    ) throws(CommandFailure) {
        let named = try Settings.value(options.configFile, or: "SUBLEDGER_CONFIG")
        let usual = usualFile.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
        var configuration = try Settings.file(named ?? usual)
        if let directory = try Settings.value(options.dataDirectory, or: "SUBLEDGER_DATA") {
            guard !directory.isEmpty else {
                throw CommandFailure.invalidOption("--data takes a directory.")
            }
            configuration.dataDirectory = directory
        }
        if let url = try Settings.value(options.database, or: "SUBLEDGER_DATABASE") {
            // An empty option turns the configured database off.
            configuration.ledger.database =
                url.isEmpty
                ? nil
                : .init(
                    url: url, schema: configuration.ledger.database?.schema,
                    poolSize: configuration.ledger.database?.poolSize)
        }
        try Settings.connect(&configuration.ledger.database)
        configuration.trustedRoots += options.trustRoots
        if options.trustRoots.isEmpty,
            let root = try Settings.value(nil, or: "SUBLEDGER_TRUST_ROOT")
        {
            configuration.trustedRoots.append(root)
        }
        let environmentName = try Settings.value(options.environment, or: "SUBLEDGER_ENVIRONMENT")
        environment = try Settings.environment(environmentName)
        isEnvironmentNamed = environmentName != nil
        bundleId = try Settings.value(options.bundleId, or: "SUBLEDGER_BUNDLE_ID")
            .map { BundleId($0) }
        if let bundleId {
            // An empty bundle id is reserved for facts about customers.
            guard !bundleId.rawValue.isEmpty else {
                throw CommandFailure.invalidOption("--bundle-id takes an app's bundle id.")
            }
            configuration.ledger.limit(to: bundleId)
        }
        if let number = try Settings.appAppleId(options) {
            guard configuration.apps.count == 1 else {
                throw CommandFailure.invalidOption(
                    "An appAppleId requires its app: add --bundle-id.")
            }
            configuration.apps[0].appAppleId = number
        }
        self.configuration = configuration
    }

    /// The value of an option, else of its variable. Throws for an empty variable, which is
    /// probably a mistake: without SUBLEDGER_DATABASE events would go into a local log instead; and
    /// for one that is not UTF-8, which `ProcessInfo` repairs.
    private static func value(
        _ option: String?, or variable: String
    ) throws(CommandFailure) -> String? {
        if let option { return option }
        let value = ProcessInfo.processInfo.environment[variable]
        guard value != "" else {
            throw CommandFailure(
                ConfigurationError.Code.invalidValue,
                "\(variable) is empty; give it a value, or unset it.", .configuration)
        }
        if let bytes = getenv(variable), String(validatingCString: bytes) == nil {
            throw CommandFailure(
                ConfigurationError.Code.invalidValue, "\(variable) is not UTF-8; correct it.",
                .configuration)
        }
        return value
    }

    private static func appAppleId(
        _ options: SharedOptions
    ) throws(CommandFailure) -> Int64? {
        if let number = options.appAppleId {
            guard number >= 0 else {
                throw CommandFailure.invalidOption("--app-apple-id takes a whole number from 0.")
            }
            return number
        }
        guard let text = try value(nil, or: "SUBLEDGER_APP_APPLE_ID") else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw CommandFailure(
                ConfigurationError.Code.invalidValue,
                "SUBLEDGER_APP_APPLE_ID takes a whole number from 0.", .configuration)
        }
        return number
    }

    private static func file(_ path: String?) throws(CommandFailure) -> ServiceConfiguration {
        guard let file = path else { return ServiceConfiguration() }
        let content = InputFile.readFile(file, limit: ServiceConfiguration.maximumByteCount)
        guard let bytes = content, bytes.count <= ServiceConfiguration.maximumByteCount else {
            let bound = ServiceConfiguration.maximumByteCount / 1_048_576
            let reason =
                content == nil
                ? InputFile.obstacle(file) ?? "it cannot be read" : "it is larger than \(bound) MiB"
            throw CommandFailure(
                ConfigurationError.Code.unreadableFile,
                "\(file): \(reason); correct it, or name another one with --config.",
                .configuration)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                ConfigurationError.Code.invalidValue, "\(file): it is not UTF-8; save it as UTF-8.",
                .configuration)
        }
        do throws(ConfigurationError) {
            return try ServiceConfiguration(yaml: text, from: file)
        } catch {
            throw CommandFailure(error.code, "\(file): \(error)", .configuration)
        }
    }

    private static func environment(_ name: String?) throws(CommandFailure) -> Environment {
        guard let name else { return .production }
        guard let found = EnvironmentLedger.environment(named: name) else {
            throw CommandFailure(
                "unknownEnvironment",
                "There is no environment \(name); it is one of "
                    + "production, sandbox, xcode, localTesting.", .usage)
        }
        return found
    }

    /// What names extra trusted roots.
    private static let rootKeys = "trustedRoots, --trust-root or SUBLEDGER_TRUST_ROOT"

    /// Apple's pinned root and the configured ones.
    func trustedRoots() throws(CommandFailure) -> TrustedRoots {
        try roots.known.withLock { (known) throws(CommandFailure) -> TrustedRoots in
            if let known { return known }
            let read = try Settings.roots(in: configuration.trustedRoots)
            known = read
            return read
        }
    }

    private static func roots(in paths: [String]) throws(CommandFailure) -> TrustedRoots {
        var roots = TrustedRoots.apple
        for path in paths {
            let limit = TrustedRoots.maximumByteCount
            guard let bytes = InputFile.readFile(path, limit: limit) else {
                let reason = InputFile.obstacle(path) ?? "it cannot be read"
                throw CommandFailure(
                    "unreadableRoot", "\(Settings.rootKeys): \(path): \(reason); correct the path.",
                    .configuration)
            }
            do throws(TrustedRootError) { roots = try roots.adding(bytes) } catch {
                throw CommandFailure(
                    "invalidRoot", "\(Settings.rootKeys): \(path) cannot be used. \(error)",
                    .configuration)
            }
        }
        return roots
    }

    /// A verifier for the environment; Xcode and LocalTesting data verify only where named.
    func verifier() throws(CommandFailure) -> EvidenceVerifier {
        EvidenceVerifier(roots: try trustedRoots(), allowedLocalEnvironments: [environment])
    }

    /// Asks OCSP responders over `transport`, where the configuration checks revocation; prints new
    /// findings as warnings. Not for files: their evidence may be older than what responders still
    /// answer for.
    func revocation(_ transport: any APITransport) -> RevocationChecks? {
        RevocationChecks(
            configuration.verification.revocation, transport: OCSPTransport(transport),
            clock: { Terminal.now },
            report: { finding in
                if finding.isNews { Terminal.note("warning: \(finding.message)") }
            })
    }

    /// Runs `body` with the checks of `revocation`, over separate connections; with nil where
    /// nothing is checked.
    func withRevocation<Value>(
        _ body: (RevocationChecks?) async throws -> Value
    ) async throws -> Value {
        guard configuration.verification.revocation != .off else { return try await body(nil) }
        let transport = HTTPTransport()
        return try await closing(transport.close) { try await body(revocation(transport)) }
    }

    /// The apps whose evidence is accepted. Throws when none is configured.
    func requiredApps() throws(CommandFailure) -> [Configuration.App] {
        guard !configuration.apps.isEmpty else {
            throw CommandFailure(
                ConfigurationError.Code.missingKey,
                "No app is configured: name it with --bundle-id (and --app-apple-id), or"
                    + " list it under `apps` in \(ServiceConfiguration.defaultFile).",
                .configuration)
        }
        return configuration.apps
    }

    /// Production and Sandbox, plus the environment that was named.
    var servedEnvironments: [Environment] {
        let usual = LedgerHost.usualEnvironments
        return usual.contains(environment) ? usual : usual + [environment]
    }
}

extension LedgerSession {
    /// Rejects a position beyond the end of the log. A job that resumes over a restored log would
    /// otherwise skip events silently.
    func require(_ position: Int64) throws(CommandFailure) {
        guard position > head else { return }
        let error = ServingError.cursorBeyondLog(head: head)
        throw CommandFailure(error.code, error.message, .negative)
    }

    /// The projector; throws while another process holds it.
    func requiredProjector() throws(CommandFailure) -> Projector {
        guard let projector else {
            throw CommandFailure(
                "projectorBusy",
                "Another process projects in this data directory and did not hand over in"
                    + " time; try again, or stop it first.", .io)
        }
        return projector
    }
}
