public import AppStore

/// A verified request for a retention message.
public struct VerifiedRetentionRequest: Sendable {
    /// Its subscription, request identifier and environment are present.
    public let payload: RetentionRequestPayload
    /// The chain, for the revocation check; nil for local data.
    public let chain: VerifiedCertificateChain?
}

extension EvidenceVerifier {
    /// Longest identifier of a request, in bytes; Apple's are UUIDs.
    package static let requestIdentifierByteCount = 256

    /// Verifies Apple's real-time request for a retention message, like a notification. It is no
    /// evidence: nothing of it is appended.
    ///
    /// Throws any code of `JWSVerifier.verify`, `undecodablePayload`,
    /// `certificateNotValidAtSigning`, and `wrongEnvironment` for Xcode's data where it is not
    /// allowed.
    public func verifyRetentionRequest(
        _ bytes: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedRetentionRequest {
        let verified = try jws.verify(bytes)
        let anotherPayload = VerificationError(
            .undecodablePayload, reason: "The payload is not a request for a message.")
        // Evidence that Apple signed for another purpose, such as a transaction from a device.
        guard verified.payload.withUnsafeBufferPointer({ PayloadKind($0) }) == nil else {
            throw anotherPayload
        }
        let payload = try decode(RetentionRequestPayload.self, verified, part: .outer)
        guard payload.originalTransactionId.map({ !$0.rawValue.isEmpty }) ?? false,
            let identifier = payload.requestIdentifier, payload.environment != nil,
            (1...EvidenceVerifier.requestIdentifierByteCount).contains(identifier.utf8.count)
        else { throw anotherPayload }
        try verified.requireValid(at: payload.signedDate ?? receivedAt)
        try requireAllowed(payload.environment, of: verified, part: .outer)
        return VerifiedRetentionRequest(payload: payload, chain: verified.chain)
    }
}
