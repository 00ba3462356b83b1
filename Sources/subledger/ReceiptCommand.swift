import AppStore
import ArgumentParser
import Intake
import Queries
import Service
import Signing

struct ReceiptCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show and verify an app receipt, and what to fetch next.",
        discussion: """
            Takes a receipt in binary, base64 or PEM, or a transaction receipt of iOS 6. Verifies \
            it as of its creation date, against Apple's root and --trust-root. Appends nothing and \
            sends no requests. Compares the app if one is configured, and the environment if it is \
            named; Xcode receipts need --environment xcode. Exit code 1 when the receipt does not \
            verify.
            """)

    @Argument(
        help: ArgumentHelp("A file; - is standard input (the default).", valueName: "file"),
        completion: .file())
    var file = "-"

    @Option(
        help: ArgumentHelp(
            "The device it must be issued for: identifierForVendor, or a Mac's hardware address.",
            valueName: "hex|uuid"))
    var deviceId: String?

    @Flag(help: "Print only the originalTransactionIds, one per line, as input for backfill.")
    var ids = false

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let deviceId = try device()
        let verifier = try settings.verifier().receipts
        let examination = ReceiptExamination(
            of: try await StoredReceipt.read(file), verifier: verifier,
            apps: settings.configuration.apps,
            environment: settings.isEnvironmentNamed ? settings.environment : nil,
            deviceId: deviceId, catalogue: settings.configuration.catalogue, now: Terminal.now)
        guard ids else {
            return Output(
                json: { examination.write(to: &$0, file: file) },
                text: examination.text(file: file), isClean: examination.isAccepted)
        }
        if let refusal = examination.refusal {
            Terminal.note("warning: \(refusal.code.rawValue): \(refusal.reason)")
        }
        try Terminal.out(examination.originalTransactionIds.map { "\($0)\n" }.joined())
        return .printed(isClean: examination.isAccepted)
    }

    /// Byte counts of identifierForVendor and of a hardware address.
    private static let deviceIdByteCounts = [16, 6]

    private func device() throws(CommandFailure) -> [UInt8]? {
        guard let deviceId else { return nil }
        let digits = deviceId.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        guard let bytes = Hexadecimal.bytes(digits),
            ReceiptCommand.deviceIdByteCounts.contains(bytes.count)
        else {
            throw CommandFailure.invalidOption(
                "--device-id takes a UUID or 16 bytes in hexadecimal; for a Mac, 6 bytes.")
        }
        return bytes
    }
}
