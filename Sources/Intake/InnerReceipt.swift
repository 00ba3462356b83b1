import AppStore
import Signing

/// What the receipt inside a body says of itself. Not verified: the body is vouched for otherwise.
struct InnerReceipt: Sendable {
    let bundleId: BundleId?
    /// When Apple made it.
    let creationDate: Timestamp?

    /// Nil for what is no app receipt.
    init?(base64 text: String) {
        guard let receipt = try? ReceiptVerifier.readUnverified(Array(text.utf8)) else {
            return nil
        }
        bundleId = receipt.bundleId
        creationDate = receipt.creationDate
    }
}
