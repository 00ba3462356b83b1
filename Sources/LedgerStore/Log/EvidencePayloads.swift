/// The payloads of the evidence of one event, decoded from base64url but not from JSON.
public struct EvidencePayloads: Hashable, Sendable {
    /// The payload of a single JWS, or verbatim evidence; empty for a pair.
    ///
    /// When `isOuterElided`, each signed part inside is replaced by the empty string and is in one
    /// of the fields below. A reader uses a part when the decoded outer payload has its field where
    /// Apple puts it (`data`, `appData`), whatever its text.
    public var outer: [UInt8] = []
    /// Whether `outer` differs from the signed bytes.
    public var isOuterElided = false
    /// Payload of `signedTransactionInfo`.
    public var transaction: [UInt8]?
    /// Payload of `signedRenewalInfo`.
    public var renewal: [UInt8]?
    /// Payload of `signedAppTransactionInfo`.
    public var appTransaction: [UInt8]?
    /// The unsigned status of a pair.
    public var status: Int64?

    init() {}

    mutating func set(_ part: SignedField, _ payload: [UInt8]) {
        switch part {
        case .transaction: transaction = payload
        case .renewal: renewal = payload
        case .appTransaction: appTransaction = payload
        }
    }
}
