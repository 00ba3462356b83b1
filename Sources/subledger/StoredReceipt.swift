import AppStore
import Intake
import LedgerStore
import Signing

/// A stored receipt, read from a file.
struct StoredReceipt {
    let bytes: [UInt8]
    /// The unverified bundle id in it, used only to select a shared secret.
    let bundleId: BundleId?

    /// `-` is standard input. Throws when the input is unreadable, empty or too long.
    init(reading file: String) async throws(CommandFailure) {
        let read = try await StoredReceipt.read(file)
        guard !read.isEmpty else { throw StoredReceipt.unreadable(file) }
        guard read.count <= AppReceiptLimits.byteCount else {
            throw CommandFailure(
                VerificationCode.payloadTooLarge,
                "\(file): a receipt has at most \(AppReceiptLimits.byteCount) bytes.", .negative)
        }
        let inside = (try? JSONValue.parse(read)).flatMap { body in
            (body["receipt-data"] ?? body["receipt"])?.string
        }
        bytes = inside.map { Array($0.utf8) } ?? read
        bundleId =
            (try? ReceiptVerifier.readUnverified(bytes))?.bundleId
            ?? ReceiptForm.transactionReceipt(bytes)?.bundleId
    }

    /// Reads one byte past the limit, which is enough to detect an oversized receipt.
    static func read(_ path: String) async throws(CommandFailure) -> [UInt8] {
        let bytes = await Blocking.run { () -> [UInt8]? in
            InputFile.read(path, limit: AppReceiptLimits.byteCount)
        }
        guard let bytes else { throw unreadable(path) }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure("unreadableInput", "\(path): it cannot be read, or is empty.", .io)
    }
}
