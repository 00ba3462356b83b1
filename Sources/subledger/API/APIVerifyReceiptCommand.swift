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
        abstract: "What verifyReceipt says of a receipt (deprecated by Apple).",
        discussion: """
            Asks with the shared secret of the app the receipt is of (apps[].sharedSecretFile), \
            Production first and Sandbox where Apple says so; --environment sandbox turns that \
            round. The answer is not signed: it goes into the ledger with --append only, and never \
            overrules what is.
            """)

    @Argument(
        help: ArgumentHelp(
            "A receipt, binary, in base64, or a body with receipt-data; - is standard input.",
            valueName: "file"))
    var file: String

    @Flag(help: "Of each subscription only the newest transaction.")
    var excludeOldTransactions = false

    @Flag(help: "Append the answer to the ledger of the environment that gave it.")
    var append = false

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "In place of Apple's hosts (default: apps[].api.baseUrl).", valueName: "url"))
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
                try await tell(answer, shown: body, settings)
            }
        }
    }

    /// Where every other question about the app goes, too: a secret of a trial must not reach Apple
    /// because one command forgot who was to be asked.
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

    private func tell(
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

    /// The answer without the receipts inside it, which nobody reads.
    private static func shown(_ value: JSONValue?) -> JSONValue {
        .object((value?.object ?? []).filter { $0.key != "latest_receipt" })
    }

    private func take(
        _ answer: APIAnswer<VerifyReceiptResponse>, _ settings: Settings
    ) async throws -> (summary: IngestSummary, derived: Result<Void, any Error>) {
        let ledger = try await EnvironmentLedger.open(
            settings.configuration.ledger, environment: answer.environment)
        let intake = AnswerIntake(
            ledger: ledger, apps: try settings.requiredApps(), verifier: try settings.verifier()
        ) { Console.now }
        let summary = try await intake.take([answer.body], named: Endpoint.verifyReceipt.name)
        return (summary, await settings.catchUp(appended: ledger))
    }
}

/// A receipt as somebody stored it, read from a file.
struct StoredReceipt {
    let bytes: [UInt8]
    /// What it says of its app, unverified: only to choose whose secret to ask with.
    let bundleId: BundleId?

    /// `-` is standard input. Throws for what cannot be read or is too long.
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
    /// The configured app a receipt is of; where it does not say, the only one.
    func app(of receipt: StoredReceipt) throws(CommandFailure) -> Configuration.App {
        let apps = try requiredApps()
        guard let named = receipt.bundleId else {
            guard apps.count == 1 else {
                throw CommandFailure(
                    code: "ambiguousApp",
                    message: "The receipt does not say of which app it is; name it with"
                        + " --bundle-id.", exit: .usage)
            }
            return apps[0]
        }
        guard let app = apps.first(where: { $0.bundleId == named }) else {
            throw CommandFailure(
                code: VerificationCode.wrongApp.rawValue,
                message: "The receipt is of \(named), which is not configured. Nothing was sent.",
                exit: .negative)
        }
        return app
    }

    /// The app's shared secret, its file read; nil where none is configured.
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
    /// An answer that repeats the secret it was asked with is neither shown nor kept.
    static func secretExposed(by bundleId: BundleId) -> CommandFailure {
        CommandFailure(
            code: VerificationCode.secretExposed.rawValue,
            message: "\(bundleId): the answer holds the app's shared secret, where Apple never puts"
                + " it: it is neither shown nor appended. See who answers at the base URL, and change"
                + " the secret in App Store Connect.", exit: .negative)
    }

    /// A failure that is about an app, which is named.
    init(_ failure: APIFailure, about bundleId: BundleId) {
        let plain = CommandFailure(failure)
        self.init(
            code: plain.code, message: "\(bundleId): \(plain.message)", exit: plain.exit)
    }
}
