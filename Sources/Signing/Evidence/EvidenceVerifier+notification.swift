public import AppStore

extension EvidenceVerifier {
    /// Verifies a notification and every signed part inside it.
    ///
    /// `receivedAt` is the effective date only if neither the notification nor a part of it has
    /// one. Throws any code of `JWSVerifier.verify`, `undecodablePayload`,
    /// `certificateNotValidAtSigning`, `wrongEnvironment` for Xcode's data where it is not allowed,
    /// and `nestedPartInvalid` with part and cause.
    public func verifyNotification(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedNotification {
        try notification(try jws.verify(bytes), receivedAt: receivedAt)
    }

    func notification(
        _ outer: VerifiedJWS, receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedNotification {
        let payload = try decode(NotificationPayload.self, outer, part: .outer)
        guard payload.notificationType != nil else {
            throw VerificationError(
                .undecodablePayload, reason: "The payload has no notificationType.")
        }
        if let signedDate = payload.signedDate { try outer.requireValid(at: signedDate) }
        try requireAllowed(payload.environment, of: outer, part: .outer)
        let envelope = Envelope(payload: payload, trust: EvidenceTrust(outer))
        let transaction = try nested(
            TransactionPayload.self, payload.data?.signedTransactionInfo, part: .transaction)
        let renewal = try nested(
            RenewalPayload.self, payload.data?.signedRenewalInfo, part: .renewal)
        let appTransaction = try nested(
            AppTransactionPayload.self, payload.appData?.signedAppTransactionInfo,
            part: .appTransaction)
        let date =
            payload.signedDate
            ?? [
                transaction?.payload?.signedDate, renewal?.payload?.signedDate,
                appTransaction?.payload?.receiptCreationDate,
            ].compactMap { $0 }.max() ?? receivedAt
        if payload.signedDate == nil { try outer.requireValid(at: date) }
        try envelope.admit(transaction)
        try envelope.admit(renewal)
        try envelope.admit(appTransaction)
        try EvidenceBinding.requireSameChain(
            transaction?.payload?.originalTransactionId, renewal?.payload?.originalTransactionId)
        return VerifiedNotification(
            payload: payload, signed: outer.signed,
            transaction: try transaction?.verifiedUnlessNull(fallbackDate: date),
            renewal: try renewal?.verified(fallbackDate: date),
            appTransaction: try appTransaction?.verifiedUnlessNull(fallbackDate: date),
            effectiveDate: date, trust: envelope.trust, chain: outer.chain)
    }

    private func nested<Payload: NestedPayload>(
        _ type: Payload.Type, _ text: String?, part: EvidencePart
    ) throws(VerificationError) -> NestedPart<Payload>? {
        guard let text else { return nil }
        do throws(VerificationError) {
            let verified = try jws.verify(Array(text.utf8), part: part)
            try PayloadKind.requireAgreement(verified, part: part)
            let payload = try decodeUnlessNull(type, verified, part: part)
            return NestedPart(payload: payload, jws: verified, part: part)
        } catch {
            throw error.nested(as: part)
        }
    }
}
