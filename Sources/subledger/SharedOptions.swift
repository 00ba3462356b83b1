import AppStore
import ArgumentParser
import Projection
import Queries
import Reports

/// The options of every command (`Contract.md`). Flags override SUBLEDGER_* variables, which
/// override the configuration file.
struct SharedOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Configuration file (default: subledger.yaml).", valueName: "file"),
        completion: .file())
    var configFile: String?

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("Data directory, created when missing.", valueName: "dir"),
        completion: .directory)
    var dataDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Database of a log that several nodes share: a connection string of PostgreSQL.",
            valueName: "url"))
    var database: String?

    @Option(
        help: "production, sandbox, xcode or localTesting (default: production).",
        completion: .list(Environment.allCases.map { EnvironmentLedger.directoryName($0) }))
    var environment: String?

    @Option(help: "Only this app, by its bundle id; no configuration file is needed then.")
    var bundleId: String?

    @Option(help: "The app's id in the App Store; checked in Production.")
    var appAppleId: Int64?

    @Option(
        name: .customLong("trust-root"),
        help: ArgumentHelp("Extra trusted root, DER or PEM; repeatable.", valueName: "file"),
        completion: .file())
    var trustRoots: [String] = []

    @Flag(help: "Machine-readable output.")
    var json = false
}

extension SharedOptions {
    /// Rejects `--json` with a `--format` that prints something else.
    func requireFormat(_ format: Export.Format) throws(CommandFailure) {
        guard !json || format == .ndjson else {
            throw CommandFailure.invalidOption("--json is only --format ndjson.")
        }
    }
}

extension CompletionKind {
    /// The values of a type that the command reads from text.
    static func values<Value: CaseIterable & RawRepresentable<String>>(
        of _: Value.Type
    ) -> CompletionKind { .list(Value.allCases.map(\.rawValue)) }

    /// The metrics by name, with `churn`.
    static let metrics = CompletionKind.list(
        [MetricName.churnName] + MetricName.allCases.map(\.rawValue))
}

/// Rejects a port that the system would take modulo 65,536.
func requirePort(_ port: Int?) throws(CommandFailure) {
    guard (0...65_535).contains(port ?? 0) else {
        throw CommandFailure.invalidOption("--port takes 0 to 65535.")
    }
}
