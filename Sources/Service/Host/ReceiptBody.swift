import AppStore
internal import Intake
public import Ledger
import Signing

/// The body of `POST /v1/receipts` from an app or its back end (`Contract.md`).
public struct ReceiptBody: Sendable {
    /// The app receipt, decoded from base64.
    let receipt: [UInt8]
    /// The customer that the sender names as the purchases' owner.
    public let customer: CustomerId?

    /// Largest body: a receipt (`Log.md` §6) and a name.
    public static let maximumByteCount = 4 * 1024 * 1024

    /// Throws `malformed` for an invalid body.
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

    /// Chains that are answered and claimed, those bought last first. A genuine receipt with more
    /// contains many one-time purchases.
    public static let answeredChainCount = 100
    /// The outcome of a claim that was not judged.
    static let unrequested = "unasked"

    /// The chains it names, those bought last first, then by id. Read only after the receipt was
    /// verified.
    var chains: [OriginalTransactionId] {
        let read = try? ReceiptVerifier.readUnverified(receipt)
        var newest: [OriginalTransactionId: Int64] = [:]
        for id in read?.originalTransactionIds ?? [] { newest[id] = .min }
        for purchase in read?.inAppPurchases ?? [] {
            let own = purchase.transactionId.map { OriginalTransactionId($0.rawValue) }
            guard let id = purchase.originalTransactionId ?? own, let known = newest[id] else {
                continue
            }
            newest[id] = max(known, purchase.purchaseDate?.milliseconds ?? .min)
        }
        return newest.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}
