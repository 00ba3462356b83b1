/// What a payload is, told from the names of its top-level members. Only ever asked of verified
/// bytes, and only to choose the decoder, which then reads strictly: a wrong guess is an
/// undecodable payload, never a wrong meaning.
enum PayloadKind: Hashable {
    case notification
    case transaction
    case appTransaction
    case renewal

    /// Nil for anything Apple does not sign alone.
    init?(_ payload: UnsafeBufferPointer<UInt8>) {
        var scanner = TopLevelNames(payload)
        var isTransaction = false
        var isAppTransaction = false
        var isRenewal = false
        while let name = scanner.next() {
            if PayloadKind.equals(name, "notificationType") {
                self = .notification
                return
            }
            isTransaction = isTransaction || PayloadKind.equals(name, "transactionId")
            isAppTransaction =
                isAppTransaction || PayloadKind.equals(name, "receiptType")
                || PayloadKind.equals(name, "receiptCreationDate")
            isRenewal =
                isRenewal || PayloadKind.equals(name, "autoRenewStatus")
                || PayloadKind.equals(name, "autoRenewProductId")
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

    private static func equals(_ name: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        ByteSearch.areEqual(
            name, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension PayloadKind {
    /// Evidence that its sender calls by a name must not be recognisably something else. Signed as
    /// it is, no later version will take it for what it is not.
    ///
    /// Throws `nestedPartInvalid` for the part.
    static func require(
        _ expected: PayloadKind, _ verified: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) {
        let kind = verified.payload.withUnsafeBufferPointer { PayloadKind($0) }
        guard let kind, kind != expected else { return }
        throw EvidenceBinding.mismatch(nil, part: part, "It is signed, but as something else.")
    }

    /// A signed part must not be recognisably something else than its place says.
    static func requireAgreement(
        _ verified: VerifiedJWS, part: EvidencePart
    ) throws(VerificationError) {
        let kind = verified.payload.withUnsafeBufferPointer { PayloadKind($0) }
        let expected: PayloadKind? =
            switch part {
            case .outer: nil
            case .transaction: .transaction
            case .renewal: .renewal
            case .appTransaction: .appTransaction
            }
        guard let kind, let expected, kind != expected else { return }
        throw VerificationError(
            .undecodablePayload, part: part, reason: "The part is of another kind than its place.")
    }
}
