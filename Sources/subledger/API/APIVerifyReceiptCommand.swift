import AppStore
import AppStoreAPI
import ArgumentParser
import Console
import Intake
import Projection
import Service
import Signing

struct APIVerifyReceiptCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-receipt",
        abstract: "Send a receipt to verifyReceipt (deprecated by Apple).",
        discussion: """
            Uses the shared secret of the receipt's app (apps[].sharedSecretFile), Production \
            first and Sandbox when Apple redirects there; --environment sandbox reverses the \
            order. The response is not signed: it is appended only with --append, and never \
            overrides evidence in the ledger.
            """)

    @Argument(
        help: ArgumentHelp(
            "A receipt in binary or base64, or a body with receipt-data; - is standard input.",
            valueName: "file"),
        completion: .file())
    var file: String

    @Flag(help: "Append the response to the ledger of the environment that sent it.")
    var append = false

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "Base URL instead of Apple's hosts (default: apps[].api.baseUrl).", valueName: "url"))
    var baseUrl: String?

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let receipt = try await StoredReceipt(reading: file)
        let app = try settings.app(of: receipt)
        let secret = try settings.sharedSecret(of: app)
        let hosts = try hosts(of: app)
        let transport = HTTPTransport()
        let client = VerifyReceiptClient(
            sharedSecret: secret?.newest, hosts: hosts, transport: transport)
        let answer: APIResponse<VerifyReceiptResponse>
        do {
            answer = try await closing(transport.close) {
                try await client.verify(receipt.bytes, first: settings.environment)
            }
        } catch let failure as APIFailure { throw CommandFailure(failure, about: [app.bundleId]) }
        guard let body = secret.map({ $0.shown(answer.body) }) ?? answer.body else {
            throw CommandFailure.secretExposed(by: app.bundleId)
        }
        let taken =
            append
            ? try await settings.take(
                [answer.body], from: .verifyReceipt, into: answer.environment) : nil
        let value = try? JSONValue.parse(body)
        // Without the embedded receipts, which are not readable.
        let shown = (value?.object ?? []).filter { $0.key != "latest_receipt" }
        let name = EnvironmentLedger.directoryName(answer.environment)
        let hint = append ? "" : "\(name); not appended (--append does)\n"
        return Output(
            .verifyReceipt, answer.environment, [value].compactMap { $0 }, ingest: taken?.value,
            text: PayloadView.text(of: .object(shown)) + "\n" + hint, failure: taken?.failure)
    }

    /// The base URL that all other requests about the app use: a test secret must never reach
    /// Apple's hosts.
    private func hosts(of app: Configuration.App) throws(ConfigurationError) -> APIHosts {
        guard let baseUrl else {
            return app.api?.baseUrl.map { APIHosts(baseUrl: $0) } ?? .verifyReceipt
        }
        try Configuration.API.requireUsable(baseUrl: baseUrl, key: "--base-url")
        return APIHosts(baseUrl: baseUrl)
    }
}

extension Settings {
    /// The configured app of a receipt; the only app where the receipt names none.
    func app(of receipt: StoredReceipt) throws(CommandFailure) -> Configuration.App {
        let apps = try requiredApps()
        guard let named = receipt.bundleId else {
            guard apps.count == 1 else {
                throw CommandFailure(
                    "ambiguousApp",
                    "The receipt does not name its app; name it with --bundle-id.", .usage)
            }
            return apps[0]
        }
        guard let app = apps.first(where: { $0.bundleId == named }) else {
            throw CommandFailure(
                VerificationCode.wrongApp,
                "The receipt is for \(named), which is not configured. Nothing was sent.",
                .negative)
        }
        return app
    }

    /// The app's shared secret, read from its file; nil if none is configured.
    func sharedSecret(of app: Configuration.App) throws(ConfigurationError) -> SharedSecret? {
        guard let file = app.sharedSecretFile else { return nil }
        return try SharedSecret(file: file, key: "\(app.key).sharedSecretFile")
    }
}

extension CommandFailure {
    /// A response that contains the secret it was requested with is neither shown nor kept.
    static func secretExposed(by bundleId: BundleId) -> CommandFailure {
        CommandFailure(
            VerificationCode.secretExposed,
            "\(bundleId): the response contains the app's shared secret, which Apple never"
                + " returns: it is neither shown nor appended. Check which server answers at the"
                + " base URL, and change the secret in App Store Connect.", .negative)
    }

    /// A failure about the named apps; about none in particular where there are none.
    init(_ failure: any Error, about apps: [BundleId]) {
        let plain = CommandFailure(failure)
        let names = apps.map(\.rawValue).joined(separator: ", ")
        self.init(
            plain.code, names.isEmpty ? plain.message : "\(names): \(plain.message)", plain.exit)
    }
}
