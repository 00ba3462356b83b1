internal import AppStore

/// Whether parts that came together belong together.
enum EvidenceBinding {
    /// A renewal info must be of the chain of its transaction where both say which.
    static func requireSameChain(
        _ transaction: OriginalTransactionId?, _ renewal: OriginalTransactionId?
    ) throws(VerificationError) {
        guard let transaction, let renewal, transaction != renewal else { return }
        throw mismatch(
            nil, part: .renewal, "The renewal info is of another chain than its transaction.")
    }

    static func mismatch(
        _ cause: VerificationCode?, part: EvidencePart, _ reason: String
    ) -> VerificationError {
        VerificationError(.nestedPartInvalid, part: part, reason: reason, cause: cause)
    }
}
