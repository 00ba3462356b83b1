import AppStore
public import Ledger

/// What an app or its back end sends to `POST /v1/transactions` (`contract.md`).
public struct UploadBody: Sendable {
    /// The compact JWS of the transaction.
    let transaction: [UInt8]
    /// That of its renewal info.
    let renewal: [UInt8]?
    /// Whom the sender says the purchase belongs to.
    public let customer: CustomerId?

    /// Largest body: two JWS and a name.
    public static let maximumByteCount = 640 * 1024
    /// Longest customer id, bytes.
    public static let maximumCustomerByteCount = CommandLimits.customerByteCount

    /// Throws `malformed` for what is none.
    public init(_ body: [UInt8]) throws(IntakeRefusal) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw IntakeRefusal(
                .malformed, code: "malformedJSON",
                message: "The body is not valid JSON (\(error.code.rawValue)).")
        }
        guard let transaction = try UploadBody.text("signedTransactionInfo", value) else {
            throw UploadBody.invalid("signedTransactionInfo is required.")
        }
        self.transaction = Array(transaction.utf8)
        renewal = try UploadBody.text("signedRenewalInfo", value).map { Array($0.utf8) }
        let named = try UploadBody.text("customer", value)
        customer = if let named { try IntakeRefusal.customer(named) } else { nil }
    }

    private static func text(
        _ key: String, _ value: JSONValue
    ) throws(IntakeRefusal) -> String? {
        guard let member = value[key], !member.isNull else { return nil }
        guard let text = member.string else { throw invalid("\(key) is not a string.") }
        return text
    }

    private static func invalid(_ message: String) -> IntakeRefusal {
        IntakeRefusal(.malformed, code: "invalidBody", message: message)
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
