internal import AppStore

/// The kind of a payload, recognised from the names of its top-level members. Used only for
/// verified bytes and only to choose the decoder, which is strict: a wrong guess gives an
/// undecodable payload, never a wrong meaning. Raw values of parts are those of `EvidencePart`.
enum PayloadKind: String {
    case notification
    case transaction
    case appTransaction
    case renewal

    /// Nil for a payload of none of these kinds, such as a request for a retention message.
    init?(_ payload: UnsafeBufferPointer<UInt8>) {
        var (isTransaction, isAppTransaction, isRenewal) = (false, false, false)
        do throws(JSONError) {
            var cursor = JSONCursor(payload)
            var object = try cursor.beginObject()
            while let key = try cursor.nextKey(&object) {
                switch key {
                case "notificationType":
                    self = .notification
                    return
                case "transactionId": isTransaction = true
                case "receiptType", "receiptCreationDate": isAppTransaction = true
                case "autoRenewStatus", "autoRenewProductId": isRenewal = true
                default: break
                }
                try cursor.skipValue()
            }
        } catch {
            // The names before the error count; the decoder reports it.
        }
        if isTransaction {
            self = .transaction
        } else if isAppTransaction {
            self = .appTransaction
        } else if isRenewal {
            self = .renewal
        } else {
            return nil
        }
    }
}

extension PayloadKind {
    /// Rejects evidence that is recognisably of another kind than stated. Its signature is valid,
    /// but no later version will accept it as the stated kind.
    ///
    /// Throws `nestedPartInvalid` for the part.
    static func require(
        _ expected: PayloadKind, _ verified: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) {
        let kind = verified.payload.withUnsafeBufferPointer { PayloadKind($0) }
        guard let kind, kind != expected else { return }
        throw EvidenceBinding.mismatch(
            nil, part: part, "The signature is valid, but the payload is of another kind.")
    }

    /// Rejects a nested part that is recognisably of another kind than its member requires.
    static func requireAgreement(
        _ verified: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) {
        let kind = verified.payload.withUnsafeBufferPointer { PayloadKind($0) }
        let expected = PayloadKind(rawValue: part.rawValue)
        guard let kind, let expected, kind != expected else { return }
        throw VerificationError(
            .undecodablePayload, part: part,
            reason: "The part is of another kind than its member requires.")
    }
}
