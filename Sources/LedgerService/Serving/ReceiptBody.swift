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
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal(
                .malformed, code: "malformedJSON",
                message: "The body is not valid JSON (\(error.code.rawValue)).")
        }
        guard let receipt = value["receipt"]?.string else {
            throw IntakeRefusal(
                .malformed, code: "invalidBody",
                message: "receipt is required: the app receipt in base64.")
        }
        self.receipt = Array(receipt.utf8)
        switch value["customer"] {
        case nil, .null: customer = nil
        case .string(let name): customer = try IntakeRefusal.customer(name)
        default:
            throw IntakeRefusal(
                .malformed, code: "invalidBody", message: "customer is not a string.")
        }
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
