import AppStore
import Signing

/// What is read of the receipts inside bodies that are vouched for otherwise.
enum AppReceiptDates {
    /// When Apple made a receipt; nil for what is none. Not verified: the body around it is.
    static func creationDate(ofBase64 text: String?) -> Timestamp? {
        guard let text else { return nil }
        return (try? ReceiptVerifier.readUnverified(Array(text.utf8)))?.creationDate
    }
}
