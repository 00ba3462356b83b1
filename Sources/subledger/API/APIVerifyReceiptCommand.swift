import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Foundation
import Intake
import Projection
import Service
import Signing

struct APIVerifyReceiptCommand: AsyncParsableCommand {
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
            valueName: "file"))
    var file: String

    @Flag(help: "Only the newest transaction of each subscription.")
    var excludeOldTransactions = false

    @Flag(help: "Append the response to the ledger of the environment that sent it.")
    var append = false

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "Base URL instead of Apple's hosts (default: apps[].api.baseUrl).", valueName: "url"))
    var baseUrl: String?

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let receipt = try await StoredReceipt(reading: file)
            let app = try settings.app(of: receipt)
            let secret = try settings.sharedSecret(of: app)
            let hosts = try hosts(of: app)
            let transport = HTTPTransport()
            let client = VerifyReceiptClient(
                sharedSecret: secret?.newest, hosts: hosts, transport: transport)
            let answer: Result<APIAnswer<VerifyReceiptResponse>, APIFailure>
            do throws(APIFailure) {
                answer = .success(
                    try await client.verify(
                        receipt.bytes, excludesOldTransactions: excludeOldTransactions,
                        first: settings.environment))
            } catch { answer = .failure(error) }
            await transport.close()
            switch answer {
            case .failure(let failure): throw CommandFailure(failure, about: app.bundleId)
            case .success(let answer):
                guard let body = secret.map({ $0.shown(answer.body) }) ?? answer.body else {
                    throw CommandFailure.secretExposed(by: app.bundleId)
                }
                try await emit(answer, shown: body, settings)
            }
        }
    }

    /// The base URL that all other requests about the app use: a test secret must never reach
    /// Apple's hosts.
    private func hosts(of app: Configuration.App) throws(CommandFailure) -> APIHosts {
        guard let baseUrl else {
            return app.api?.baseUrl.map { APIHosts(baseUrl: $0) } ?? .verifyReceipt
        }
        do throws(ConfigurationError) {
            try Configuration.API.requireUsable(baseUrl: baseUrl, key: "--base-url")
        } catch {
            throw CommandFailure(
                code: error.code.rawValue, message: error.description, exit: .configuration)
        }
        return APIHosts(baseUrl: baseUrl)
    }

    private func emit(
        _ answer: APIAnswer<VerifyReceiptResponse>, shown body: [UInt8], _ settings: Settings
    ) async throws {
        let taken = append ? try await take(answer, settings) : nil
        let summary = taken?.summary
        let value = try? JSONValue.parse(body)
        if common.json {
            try Console.out { json in
                json.object { json in
                    json.member("endpoint", Endpoint.verifyReceipt.name)
                    json.member("environment", answer.environment.rawValue)
                    json.array("answers", [value].compactMap { $0 })
                    json.member("hasMore", false)
                    json.key("ingest")
                    if let summary { summary.write(to: &json) } else { json.null() }
                }
            }
        } else {
            try Console.out(AnswerText.lines(APIVerifyReceiptCommand.shown(value)))
            for error in summary?.errors ?? [] {
                Console.note("\(error.input): \(error.code): \(error.message)")
            }
            let name = EnvironmentLedger.directoryName(answer.environment)
            try Console.out(
                summary.map {
                    "\(name) ledger: \($0.appended) appended, \($0.duplicates) known;"
                        + " position \($0.position)\n"
                } ?? "\(name); not appended (--append does)\n")
        }
        try taken?.derived.get()
        if let summary, !summary.isClean {
            throw ExitCode(CommandFailure.Exit.negative.rawValue)
        }
    }

    /// The response without the embedded receipts, which are not readable.
    private static func shown(_ value: JSONValue?) -> JSONValue {
        .object((value?.object ?? []).filter { $0.key != "latest_receipt" })
    }

    private func take(
        _ answer: APIAnswer<VerifyReceiptResponse>, _ settings: Settings
    ) async throws -> (summary: IngestSummary, derived: Result<Void, any Error>) {
        let ledger = try await EnvironmentLedger.open(
            settings.configuration.ledger, environment: answer.environment)
        let intake = ResponseIntake(
            ledger: ledger, apps: try settings.requiredApps(), verifier: try settings.verifier()
        ) { Console.now }
        let summary = try await intake.take([answer.body], named: Endpoint.verifyReceipt.name)
        return (summary, await settings.catchUp(appended: ledger))
    }
}

/// A stored receipt, read from a file.
struct StoredReceipt {
    let bytes: [UInt8]
    /// The unverified bundle id in it, used only to select a shared secret.
    let bundleId: BundleId?

    /// `-` is standard input. Throws when the input is unreadable or too long.
    init(reading file: String) async throws {
        if file == "-" { await StandardInput.waitForFirstByte() }
        guard let handle = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: AppReceiptLimits.byteCount + 1)
        else {
            throw CommandFailure(
                code: "unreadableInput", message: "\(file): it cannot be read, or is empty.",
                exit: .io)
        }
        guard data.count <= AppReceiptLimits.byteCount else {
            throw CommandFailure(
                code: VerificationCode.payloadTooLarge.rawValue,
                message: "\(file): a receipt has at most \(AppReceiptLimits.byteCount) bytes.",
                exit: .negative)
        }
        let read = [UInt8](data)
        let inside = (try? JSONValue.parse(read)).flatMap { body in
            (body["receipt-data"] ?? body["receipt"])?.string
        }
        bytes = inside.map { Array($0.utf8) } ?? read
        bundleId =
            (try? ReceiptVerifier.readUnverified(bytes))?.bundleId
            ?? ReceiptForm.transactionReceipt(bytes)?.bundleId
    }
}

extension Settings {
    /// The configured app of a receipt; the only app where the receipt names none.
    func app(of receipt: StoredReceipt) throws(CommandFailure) -> Configuration.App {
        let apps = try requiredApps()
        guard let named = receipt.bundleId else {
            guard apps.count == 1 else {
                throw CommandFailure(
                    code: "ambiguousApp",
                    message: "The receipt does not name its app; name it with"
                        + " --bundle-id.", exit: .usage)
            }
            return apps[0]
        }
        guard let app = apps.first(where: { $0.bundleId == named }) else {
            throw CommandFailure(
                code: VerificationCode.wrongApp.rawValue,
                message: "The receipt is for \(named), which is not configured. Nothing was sent.",
                exit: .negative)
        }
        return app
    }

    /// The app's shared secret, read from its file; nil if none is configured.
    func sharedSecret(of app: Configuration.App) throws(CommandFailure) -> SharedSecret? {
        guard let file = app.sharedSecretFile else { return nil }
        let place = configuration.apps.firstIndex { $0.bundleId == app.bundleId } ?? 0
        do throws(ConfigurationError) {
            return try SharedSecret(file: file, key: "apps[\(place)].sharedSecretFile")
        } catch {
            throw CommandFailure(
                code: error.code.rawValue, message: error.description, exit: .configuration)
        }
    }
}

extension CommandFailure {
    /// A response that contains the secret it was requested with is neither shown nor kept.
    static func secretExposed(by bundleId: BundleId) -> CommandFailure {
        CommandFailure(
            code: VerificationCode.secretExposed.rawValue,
            message: "\(bundleId): the response contains the app's shared secret, which Apple never"
                + " returns: it is neither shown nor appended. Check which server answers at the"
                + " base URL, and change the secret in App Store Connect.", exit: .negative)
    }

    /// A failure about the named app.
    init(_ failure: APIFailure, about bundleId: BundleId) {
        let plain = CommandFailure(failure)
        self.init(
            code: plain.code, message: "\(bundleId): \(plain.message)", exit: plain.exit)
    }
}
