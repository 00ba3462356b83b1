internal import AppStore

/// A nested part of a notification with a valid signature, before its date and its agreement with
/// the envelope are checked.
struct NestedPart<Payload: NestedPayload> {
    /// Nil for the literal `null`.
    let payload: Payload?
    let jws: VerifiedJWS
    let part: EvidencePart

    /// The part with its own date, else its envelope's, after checking that the chain was valid
    /// then; its payload is nil for the literal `null`.
    func verified(
        fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedPayload<Payload?> {
        let date = payload?.signedDate ?? fallbackDate
        do throws(VerificationError) {
            try jws.requireValid(at: date)
        } catch {
            throw error.nested(as: part)
        }
        return VerifiedPayload(payload: payload, jws: jws, effectiveDate: date)
    }

    /// The same; nil for the literal `null`.
    func verifiedUnlessNull(
        fallbackDate: Timestamp
    ) throws(VerificationError) -> VerifiedPayload<Payload>? {
        let date = try verified(fallbackDate: fallbackDate).effectiveDate
        return payload.map { VerifiedPayload(payload: $0, jws: jws, effectiveDate: date) }
    }
}
