import AppStore
import Ledger
import Signing

/// An answer of verifyReceipt: unsigned, believed because Apple gave it over TLS, or because the
/// operator says so.
package struct BelievedVerifyReceipt: Sendable {
    let response: VerifyReceiptResponse

    package init(response: VerifyReceiptResponse) {
        self.response = response
    }

    /// Nil in answers about old transaction receipts, which name none: then it is what the ledger
    /// asked about is.
    package var environment: String? {
        response.environment
            ?? response.receipt?.receiptType.map { type in
                type.hasSuffix("Sandbox")
                    ? Environment.sandbox.rawValue : Environment.production.rawValue
            }
    }
}

extension EventPreparation {
    /// Throws `payloadTooLarge` for more transactions than one event may speak of.
    static func requireBounded(_ transactions: [ReceiptTransaction]) throws(VerificationError) {
        guard transactions.count <= ReceiptStatements.maximumTransactions else {
            throw VerificationError(
                .payloadTooLarge,
                reason: "It names more than \(ReceiptStatements.maximumTransactions) transactions.")
        }
    }

    /// Throws `undecodablePayload` for what is no answer of verifyReceipt, `receiptRefusedByApple`
    /// for one in which Apple vouches for nothing, `secretExposed`.
    func believe(verifyReceipt body: [UInt8]) throws(VerificationError) -> BelievedVerifyReceipt {
        let response: VerifyReceiptResponse
        do throws(JSONError) { response = try VerifyReceiptResponse(body) } catch {
            throw VerificationError(
                .undecodablePayload,
                reason: "It is no answer of verifyReceipt (\(error.code.rawValue)"
                    + "\(error.field.map { " in \($0)" } ?? "")).")
        }
        guard !secrets.stand(in: [body[...]]) else {
            throw EventPreparation.secretExposed
        }
        guard response.status.value?.isGenuine == true else {
            throw VerificationError(
                .receiptRefusedByApple,
                reason: "Apple answered with status \(response.status.rawValue): there is no"
                    + " receipt in it that Apple vouches for.")
        }
        try EventPreparation.requireBounded(response.transactions)
        return BelievedVerifyReceipt(response: response)
    }
}
