public import AppStore

/// Asks the authorities whether leaf and intermediate of a chain have been revoked: an optional
/// step after verification, for evidence that has just arrived. Stored evidence is never asked
/// about: its leaf may have been retired long since.
///
/// Hard-failing: what cannot be found out is `revocationUnknown`, which is retryable and says
/// nothing about the evidence.
public struct RevocationCheck: Sendable {
    /// Tolerated difference between the responder's clock and ours, both ways.
    public static let clockSkewMilliseconds = RevocationAnswer.clockSkewMilliseconds
    /// Upper bound of one response in bytes.
    public static let maximumResponseByteCount = RevocationAnswer.maximumByteCount

    private let transport: any RevocationTransport

    /// A check that reaches responders through `transport`.
    public init(transport: any RevocationTransport) {
        self.transport = transport
    }

    /// The questions a chain raises: leaf, then intermediate. The root is pinned and answers for
    /// itself. Empty when a certificate names no responder.
    public static func queries(for chain: VerifiedChain) -> [RevocationQuery] {
        guard let leaf = RevocationQuery(certificate: chain.leaf, issuer: chain.intermediate),
            let intermediate = RevocationQuery(certificate: chain.intermediate, issuer: chain.root)
        else { return [] }
        return [leaf, intermediate]
    }

    /// What a responder's answer to one question means at `now`.
    public static func status(
        of query: RevocationQuery, answer: [UInt8], now: Timestamp
    ) -> RevocationStatus {
        RevocationAnswer.read(answer, to: query, now: now)
    }

    /// Asks about both certificates.
    ///
    /// Throws `certificateRevoked` when an authority says so about either, otherwise
    /// `revocationUnknown` when either could not be found out.
    public func require(
        _ chain: VerifiedChain, part: EvidencePart = .outer, now: Timestamp
    ) async throws(VerificationError) {
        let queries = RevocationCheck.queries(for: chain)
        guard !queries.isEmpty else {
            throw RevocationCheck.unknown("A certificate names no responder.", part: part)
        }
        var doubt: String?
        for query in queries {
            switch await status(of: query, now: now) {
            case .good: continue
            case .revoked:
                throw VerificationError(
                    .certificateRevoked, part: part,
                    reason: "A certificate of the chain was revoked by its issuer.")
            case .unknown(let reason): doubt = doubt ?? reason
            }
        }
        if let doubt { throw RevocationCheck.unknown(doubt, part: part) }
    }

    private func status(of query: RevocationQuery, now: Timestamp) async -> RevocationStatus {
        do {
            let answer = try await transport.post(query.request, to: query.address)
            return RevocationCheck.status(of: query, answer: answer, now: now)
        } catch {
            return .unknown("The responder was not reached.")
        }
    }

    private static func unknown(_ reason: String, part: EvidencePart) -> VerificationError {
        VerificationError(.revocationUnknown, part: part, reason: reason)
    }
}
