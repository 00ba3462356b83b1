public import AppStore
public import Signing

/// Decodes an App Store Server API response for display: replaces every signed part by its verified
/// content, or by the reason why it does not verify.
public struct AppleResponseReader: Sendable {
    let verifier: EvidenceVerifier
    /// When the response arrived.
    let now: Timestamp

    /// `now`, when the response arrived, is the date of parts that state none.
    public init(verifier: EvidenceVerifier, now: Timestamp) {
        self.verifier = verifier
        self.now = now
    }

    /// The members of Apple's responses that hold evidence for the intake.
    static let evidenceKeys: Set<String> = [
        "signedPayload", "signedTransactionInfo", "signedAppTransactionInfo", "signedTransactions",
        "notificationHistory", "data",
    ]

    /// Whether the response contains evidence to take in.
    public static func holdsEvidence(_ body: [UInt8]) -> Bool {
        (try? JSONValue.parse(body))?.object?.contains { evidenceKeys.contains($0.key) } ?? false
    }

    /// The response with its signed parts decoded; nil when it is not JSON.
    public func read(_ body: [UInt8]) -> JSONValue? {
        (try? JSONValue.parse(body)).map { open($0, key: "") }
    }

    // MARK: Decoding

    private func open(_ value: JSONValue, key: String) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(
                members.map { JSONMember(key: $0.key, value: open($0.value, key: $0.key)) })
        case .array(let elements): return .array(elements.map { open($0, key: key) })
        case .string(let token) where AppleResponseReader.signedKeys.contains(key):
            return opened(token, key)
        default: return value
        }
    }

    static let signedKeys: Set<String> = [
        "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
        "signedTransactions",
    ]

    private func opened(_ token: String, _ key: String) -> JSONValue {
        let bytes = Array(token.utf8)
        do throws(VerificationError) {
            let payload =
                if key == "signedRenewalInfo" {
                    try verifier.verifyRenewal(bytes, fallbackDate: now).payloadBytes
                } else {
                    try payload(try verifier.verifyAny(bytes, receivedAt: now))
                }
            guard let value = try? JSONValue.parse(payload) else { return .null }
            return open(value, key: "")
        } catch {
            return .object([
                JSONMember(key: "unverified", value: .string(error.code.rawValue)),
                JSONMember(key: "message", value: .string(error.reason)),
            ])
        }
    }

    private func payload(_ evidence: VerifiedEvidence) throws(VerificationError) -> [UInt8] {
        switch evidence {
        case .notification(let notification): notification.payloadBytes
        case .transaction(let transaction): transaction.payloadBytes
        case .appTransaction(let appTransaction): appTransaction.payloadBytes
        }
    }
}
