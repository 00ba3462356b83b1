import AppStore
import ArgumentParser
import Foundation
import Intake
import LedgerStore
import Queries
import Service
import Signing

struct ReceiptCommand: AsyncParsableCommand {
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

    @Argument(help: ArgumentHelp("A file; - is standard input (the default).", valueName: "file"))
    var file = "-"

    @Option(
        help: ArgumentHelp(
            "The device it must be issued for: identifierForVendor, or a Mac's hardware address.",
            valueName: "hex|uuid"))
    var deviceId: String?

    @Flag(help: "Print only the originalTransactionIds, one per line, as input for backfill.")
    var ids = false

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let expectation = ReceiptExamination.Expectation(
                apps: settings.configuration.apps,
                environment: common.isEnvironmentStated ? settings.environment : nil,
                deviceId: try device(), catalogue: settings.configuration.catalogue)
            let verifier = try settings.receiptVerifier()
            let examination = ReceiptExamination(
                of: try await read(), verifier: verifier, expecting: expectation,
                now: Console.now)
            try emit(examination)
            guard examination.isAccepted else {
                throw ExitCode(CommandFailure.Exit.negative.rawValue)
            }
        }
    }

    private func emit(_ examination: ReceiptExamination) throws {
        if ids {
            for id in examination.originalTransactionIds { try Console.out("\(id)\n") }
            if let refusal = examination.refusal {
                Console.note("warning: \(refusal.code.rawValue): \(refusal.reason)")
            }
        } else if common.json {
            try Console.out { examination.write(to: &$0, file: file) }
        } else {
            try Console.out(examination.text(file: file))
        }
    }

    /// Byte counts of identifierForVendor and of a hardware address.
    private static let deviceIdByteCounts = [16, 6]

    private func device() throws(CommandFailure) -> [UInt8]? {
        guard let deviceId else { return nil }
        let digits = deviceId.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        guard let bytes = Hexadecimal.bytes(digits),
            ReceiptCommand.deviceIdByteCounts.contains(bytes.count)
        else {
            throw CommandFailure(
                code: "invalidOption",
                message: "--device-id takes a UUID or 16 bytes in hexadecimal; for a Mac, 6 bytes.",
                exit: .usage)
        }
        return bytes
    }

    /// Reads one byte past the limit, which is enough to detect an oversized receipt.
    private func read() async throws(CommandFailure) -> [UInt8] {
        let path = file
        return try await Blocking.run { () throws(CommandFailure) in
            let problem = CommandFailure(
                code: "unreadableInput", message: "\(path) cannot be read; check the path.",
                exit: .io)
            var isDirectory: ObjCBool = false
            if path != "-" {
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
                    !isDirectory.boolValue
                else { throw problem }
            }
            let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
            guard let handle else { throw problem }
            defer { if path != "-" { try? handle.close() } }
            var bytes: [UInt8] = []
            do {
                while bytes.count <= AppReceiptLimits.byteCount,
                    let piece = try handle.read(
                        upToCount: AppReceiptLimits.byteCount + 1 - bytes.count), !piece.isEmpty
                {
                    bytes += piece
                }
            } catch { throw problem }
            return bytes
        }
    }
}
