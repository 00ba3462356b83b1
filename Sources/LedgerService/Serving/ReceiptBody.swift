import AppStore
public import Ledger
import Signing

/// What an app or its back end sends to `POST /v1/receipts` (`contract.md`).
public struct ReceiptBody: Sendable {
    /// The app receipt, in base64.
    let receipt: [UInt8]
    /// Whom the sender says the purchases belong to.
    public let customer: CustomerId?

    /// Largest body: a receipt (`design.md` §6) and a name.
    public static let maximumByteCount = 4 * 1024 * 1024

    /// Throws `malformed` for what is none.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value = try IntakeRefusal.json(body)
        guard let receipt = try IntakeRefusal.text("receipt", value) else {
            throw IntakeRefusal.invalidBody("receipt is required: the app receipt in base64.")
        }
        self.receipt = Array(receipt.utf8)
        customer = try IntakeRefusal.customer(in: value)
    }

    var submission: Submission {
        Submission(form: .receipt(receipt), claimedReceivedAt: nil, input: "upload", item: nil)
    }

    /// The chains it names, in order. Read only once the receipt is believed.
    var chains: [OriginalTransactionId] {
        let read = try? ReceiptVerifier.readUnverified(receipt)
        return Set(read?.originalTransactionIds ?? []).sorted()
    }
}
