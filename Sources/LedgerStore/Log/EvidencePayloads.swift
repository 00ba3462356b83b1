/// The payloads of the evidence of one event, decoded from base64url but not from JSON.
public struct EvidencePayloads: Hashable, Sendable {
    /// The payload of a single JWS, or verbatim evidence; empty for a pair.
    ///
    /// When `isOuterElided`, signed parts inside are replaced by the empty string and are in the
    /// fields below. A reader looks where Apple puts a part (`data`, `appData`) in the decoded
    /// outer payload: the empty string there stands for the field below, any other text is the
    /// part.
    public var outer: [UInt8] = []
    /// Whether `outer` differs from the signed bytes.
    public var isOuterElided = false
    /// Payload of `signedTransactionInfo`, where it is not in `outer`.
    public var transaction: [UInt8]?
    /// Payload of `signedRenewalInfo`, likewise.
    public var renewal: [UInt8]?
    /// Payload of `signedAppTransactionInfo`, likewise.
    public var appTransaction: [UInt8]?
    /// The unsigned status of a pair.
    public var status: Int64?

    init() {}

    /// False for a part that is there already.
    mutating func set(_ part: SignedField, _ payload: [UInt8]) -> Bool {
        switch part {
        case .transaction: EvidencePayloads.fill(&transaction, payload)
        case .renewal: EvidencePayloads.fill(&renewal, payload)
        case .appTransaction: EvidencePayloads.fill(&appTransaction, payload)
        }
    }

    private static func fill(_ field: inout [UInt8]?, _ payload: [UInt8]) -> Bool {
        guard field == nil else { return false }
        field = payload
        return true
    }
}
