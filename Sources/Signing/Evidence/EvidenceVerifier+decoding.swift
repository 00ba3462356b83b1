internal import AppStore

/// Decodes verified payloads and converts the decoder's errors. Their text contains known field
/// names and offsets, never contents.
extension EvidenceVerifier {
    func decode<Payload: WireObject>(
        _ type: Payload.Type, _ jws: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) -> Payload {
        do throws(JSONError) {
            return try Payload.decode(jws.payload, clampsDates: clampsDates)
        } catch {
            throw undecodable(error, part: part)
        }
    }

    /// Nil for the literal `null`.
    func decodeUnlessNull<Payload: WireObject>(
        _ type: Payload.Type, _ jws: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) -> Payload? {
        do throws(JSONError) {
            return try Payload.decodeUnlessNull(jws.payload, clampsDates: clampsDates)
        } catch {
            throw undecodable(error, part: part)
        }
    }

    private func undecodable(_ error: JSONError, part: EvidencePart) -> VerificationError {
        VerificationError(
            .undecodablePayload, part: part,
            reason: "The payload cannot be decoded: \(error.description).")
    }
}
