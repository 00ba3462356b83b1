import AppStore
import Signing

/// The header of the receipt inside a body. Not verified: the body is authenticated otherwise.
struct InnerReceipt: Sendable {
    let bundleId: BundleId?
    /// When Apple created it.
    let creationDate: Timestamp?

    /// Nil for anything but an app receipt.
    init?(base64 text: String) {
        guard let receipt = try? ReceiptVerifier.readUnverified(Array(text.utf8)) else {
            return nil
        }
        bundleId = receipt.bundleId
        creationDate = receipt.creationDate
    }
}
