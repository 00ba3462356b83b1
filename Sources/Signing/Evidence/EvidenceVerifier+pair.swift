public import AppStore

extension EvidenceVerifier {
    /// Verifies a transaction and its renewal info, and that they belong to one chain.
    ///
    /// A failure of either names its part: any code of `JWSVerifier.verify`, `undecodablePayload`,
    /// `certificateNotValidAtSigning`, `wrongEnvironment`. `nestedPartInvalid` with the part if it
    /// was signed as another kind, and with part renewal if both are genuine but do not belong
    /// together.
    public func verifyPair(
        transaction: [UInt8], renewal: [UInt8],
        receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedPair {
        let first = try jws.verify(transaction, part: .transaction)
        let second = try jws.verify(renewal, part: .renewal)
        try PayloadKind.require(.transaction, first, part: .transaction)
        try PayloadKind.require(.renewal, second, part: .renewal)
        let purchase = try decode(TransactionPayload.self, first, part: .transaction)
        try requireNamed(purchase, part: .transaction)
        let outlook = try decodeUnlessNull(RenewalPayload.self, second, part: .renewal)
        let purchaseDate = purchase.signedDate ?? outlook?.signedDate ?? receivedAt
        let outlookDate = outlook?.signedDate ?? purchaseDate
        try first.requireValid(at: purchaseDate)
        try second.requireValid(at: outlookDate)
        try requireAllowed(purchase.environment, of: first, part: .transaction)
        // Without an environment, the renewal info has its transaction's.
        try requireAllowed(
            outlook?.environment ?? purchase.environment, of: second, part: .renewal)
        guard EvidenceTrust(first).admits(EvidenceTrust(second)) else {
            throw EvidenceBinding.mismatch(
                .untrustedRoot, part: .renewal,
                "The renewal info and its transaction differ in trust anchor.")
        }
        if let one = purchase.environment, let other = outlook?.environment, one != other {
            throw EvidenceBinding.mismatch(
                .wrongEnvironment, part: .renewal,
                "The renewal info is for \(other.rawValue.named), its transaction for"
                    + " \(one.rawValue.named).")
        }
        try EvidenceBinding.requireSameChain(
            purchase.originalTransactionId, outlook?.originalTransactionId)
        return VerifiedPair(
            transaction: VerifiedTransaction(
                payload: purchase, jws: first, effectiveDate: purchaseDate),
            renewal: VerifiedRenewal(payload: outlook, jws: second, effectiveDate: outlookDate))
    }
}
