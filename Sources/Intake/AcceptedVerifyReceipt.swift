import AppStore
import Ledger
import Signing

extension VerifyReceiptResponse {
    /// The environment by its ledger name. Nil in responses about old transaction receipts, which
    /// name none; the environment of the ledger then applies.
    package var namedEnvironment: String? {
        environment
            ?? receipt?.receiptType.map { type in
                type.hasSuffix("Sandbox")
                    ? Environment.sandbox.rawValue : Environment.production.rawValue
            }
    }
}

extension EventPreparation {
    /// Throws `payloadTooLarge` for more transactions than one event may name.
    static func requireBounded(_ transactions: [ReceiptTransaction]) throws(VerificationError) {
        guard transactions.count <= ReceiptStatements.maximumTransactions else {
            throw VerificationError(
                .payloadTooLarge,
                reason: "It names more than \(ReceiptStatements.maximumTransactions) transactions.")
        }
    }

    /// Throws `undecodablePayload` for anything but a verifyReceipt response,
    /// `receiptRefusedByApple` for a response without a receipt that Apple confirms,
    /// `secretExposed`.
    func verifyEvidence(
        verifyReceipt body: [UInt8]
    ) throws(VerificationError) -> AcceptedEvidence {
        let response: VerifyReceiptResponse
        do throws(JSONError) {
            response = try VerifyReceiptResponse(body, clampsDates: verifier.clampsDates)
        } catch {
            throw VerificationError(
                .undecodablePayload,
                reason: "This is not a verifyReceipt response (\(error.code.rawValue)"
                    + "\(error.field.map { " in \($0)" } ?? "")).")
        }
        guard !secrets.occur(in: [body[...]]) else {
            throw EventPreparation.secretExposed
        }
        guard response.status.value?.isGenuine == true else {
            throw VerificationError(
                .receiptRefusedByApple,
                reason: "Apple answered with status \(response.status.rawValue): the response"
                    + " contains no receipt that Apple confirms.")
        }
        try EventPreparation.requireBounded(response.transactions)
        return AcceptedEvidence(response, body)
    }
}
