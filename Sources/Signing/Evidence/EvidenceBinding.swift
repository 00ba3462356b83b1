internal import AppStore

/// Checks that parts received together belong together.
enum EvidenceBinding {
    /// A renewal info and its transaction must have the same chain if both name one.
    static func requireSameChain(
        _ transaction: OriginalTransactionId?, _ renewal: OriginalTransactionId?
    ) throws(VerificationError) {
        guard let transaction, let renewal, transaction != renewal else { return }
        throw mismatch(
            nil, part: .renewal, "The renewal info is for another chain than its transaction.")
    }

    static func mismatch(
        _ cause: VerificationCode?, part: EvidencePart, _ reason: String
    ) -> VerificationError {
        VerificationError(.nestedPartInvalid, part: part, reason: reason, cause: cause)
    }
}
