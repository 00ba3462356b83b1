internal import AppStore
public import Ledger
internal import Signing

extension PackedEvidence {
    /// The decoded payloads, without re-encoding base64url where the evidence was packed.
    ///
    /// Throws `fileCorrupt` when the stored bytes are damaged. Evidence that no JWS reader would
    /// accept is returned whole in `outer`.
    public func payloads(of kind: EventKind) throws(StoreError) -> EvidencePayloads {
        let payloads: EvidencePayloads?
        switch form {
        case .verbatim: payloads = verbatimPayloads(of: kind)
        case .token:
            payloads = body.withUnsafeBytes { buffer in
                var unpacker = EvidenceUnpacker(buffer)
                return unpacker.tokenPayloads()
            }
        case .pair:
            payloads = body.withUnsafeBytes { buffer in
                var unpacker = EvidenceUnpacker(buffer)
                return unpacker.pairPayloads()
            }
        }
        guard var payloads else { throw PackedEvidence.unreadable }
        if kind == .notification, !payloads.isOuterElided { payloads.readSignedFields() }
        return payloads
    }

    private func verbatimPayloads(of kind: EventKind) -> EvidencePayloads {
        var payloads = EvidencePayloads()
        payloads.outer = body
        switch kind {
        case .notification, .transaction, .appTransaction:
            if let payload = PackedEvidence.payload(ofToken: body) { payloads.outer = payload }
        case .renewalPair:
            guard let pair = try? JSONValue.parse(body) else { break }
            payloads.transaction = PackedEvidence.payload(of: .transaction, in: pair)
            payloads.renewal = PackedEvidence.payload(of: .renewal, in: pair)
            payloads.status = pair["status"]?.int64
        case .receipt, .verifyReceipt, .notificationV1, .command, .sweep: break
        }
        return payloads
    }

    static func payload(of part: SignedField, in object: JSONValue?) -> [UInt8]? {
        guard let token = object?["\(part.key)"]?.string else { return nil }
        return payload(ofToken: Array(token.utf8))
    }

    /// The decoded payload of a compact JWS; nil when it is none.
    static func payload(ofToken token: [UInt8]) -> [UInt8]? {
        token.withUnsafeBufferPointer { buffer in
            TokenSegments(buffer).flatMap { Base64URL.decode($0.payload) }
        }
    }
}

extension EvidencePayloads {
    /// Finds the signed parts of a notification that is stored whole, by reading its JSON.
    mutating func readSignedFields() {
        let mayHoldParts = outer.withUnsafeBufferPointer { text in
            text.firstPlace(of: UInt8(ascii: "\\")) != nil
                || SignedField.allCases.contains { text.occurrences(of: $0.key) > 0 }
        }
        guard mayHoldParts, let payload = try? JSONValue.parse(outer) else { return }
        for part in SignedField.allCases {
            let found = PackedEvidence.payload(of: part, in: payload[part.container])
            if let found { set(part, found) }
        }
    }
}
