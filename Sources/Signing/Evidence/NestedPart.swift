internal import AppStore

/// A nested part of a notification with a valid signature, before its date and its agreement with
/// the envelope are checked.
struct NestedPart<Payload: WireObject> {
    /// Nil for the literal `null`.
    let payload: Payload?
    let jws: VerifiedJWS
    let part: EvidencePart

    /// The part's own date, else its envelope's, after checking that the chain was valid then.
    private func date(
        own: Timestamp?, fallbackDate: Timestamp
    ) throws(VerificationError) -> Timestamp {
        let date = own ?? fallbackDate
        do throws(VerificationError) {
            try jws.requireValid(at: date)
        } catch {
            throw error.nested(as: part)
        }
        return date
    }
}

extension NestedPart where Payload == TransactionPayload {
    func transaction(
        fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedTransaction? {
        let date = try date(own: payload?.signedDate, fallbackDate: fallbackDate)
        return payload.map {
            VerifiedTransaction(payload: $0, jws: jws, effectiveDate: date)
        }
    }
}

extension NestedPart where Payload == RenewalPayload {
    func renewal(fallbackDate: Timestamp) throws(VerificationError) -> VerifiedRenewal {
        let date = try date(own: payload?.signedDate, fallbackDate: fallbackDate)
        return VerifiedRenewal(payload: payload, jws: jws, effectiveDate: date)
    }
}

extension NestedPart where Payload == AppTransactionPayload {
    func appTransaction(
        fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedAppTransaction? {
        let date = try date(own: payload?.receiptCreationDate, fallbackDate: fallbackDate)
        return payload.map {
            VerifiedAppTransaction(payload: $0, jws: jws, effectiveDate: date)
        }
    }
}
