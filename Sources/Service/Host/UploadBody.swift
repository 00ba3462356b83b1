import AppStore
internal import Intake
public import Ledger

/// The body of `POST /v1/transactions` from an app or its back end (`Contract.md`).
public struct UploadBody: Sendable {
    /// The compact JWS of the transaction.
    let transaction: [UInt8]
    /// The compact JWS of its renewal info.
    let renewal: [UInt8]?
    /// The customer that the sender names as the purchase's owner.
    public let customer: CustomerId?

    /// Largest body: two JWS and a name.
    public static let maximumByteCount = 640 * 1024

    /// Throws `malformed` for an invalid body.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value = try IntakeRefusal.json(body)
        guard let transaction = try IntakeRefusal.text("signedTransactionInfo", value) else {
            throw IntakeRefusal.invalidBody("signedTransactionInfo is required.")
        }
        self.transaction = Array(transaction.utf8)
        renewal = try IntakeRefusal.text("signedRenewalInfo", value).map { Array($0.utf8) }
        customer = try IntakeRefusal.customer(in: value)
    }

    /// The evidence in it.
    var submission: Submission {
        let form: Submission.Form =
            if let renewal {
                .pair(transaction: transaction, renewal: renewal, status: nil)
            } else {
                .transaction(transaction)
            }
        return Submission(form: form, claimedReceivedAt: nil, input: "upload", item: nil)
    }
}
