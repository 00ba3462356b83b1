internal import AppStore

/// The proof of an event, byte for byte as it was received, without its wrapper.
public enum Evidence: Hashable, Sendable {
    /// One compact JWS (RFC 7515 §7.1), with or without signed parts inside its payload.
    case jws([UInt8])
    /// One `lastTransactions` item: two compact JWS and their unsigned status.
    case pair(transaction: [UInt8], renewal: [UInt8], status: Int64?)
    /// Anything else, kept verbatim: a command, a receipt, a body.
    case verbatim([UInt8])

    /// The bytes that are hashed and returned: the JWS itself, the verbatim bytes, or for a pair
    /// `{"signedTransactionInfo":"…","signedRenewalInfo":"…","status":N}`, without the last member
    /// when there is no status.
    ///
    /// Throws `evidenceMalformed` when a part of a pair would need escaping in a JSON string.
    public func bytes() throws(StoreError) -> [UInt8] {
        switch self {
        case .jws(let bytes), .verbatim(let bytes): return bytes
        case .pair(let transaction, let renewal, let status):
            guard Evidence.isPlain(transaction), Evidence.isPlain(renewal) else {
                throw StoreError(
                    .evidenceMalformed, reason: "A signed part has characters invalid in a JWS.",
                    remedy: "Append only evidence whose signature was verified.")
            }
            var text = Array(PairText.start.utf8)
            text.append(contentsOf: transaction)
            text.append(contentsOf: PairText.middle.utf8)
            text.append(contentsOf: renewal)
            text.append(contentsOf: PairText.end(status: status).utf8)
            return text
        }
    }

    /// Whether it is base64url and two dots only, which JSON does not escape.
    private static func isPlain(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0.isAlphanumeric(or: "-_.") }
    }
}
