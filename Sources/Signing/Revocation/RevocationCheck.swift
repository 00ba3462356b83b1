public import AppStore

/// Checks by OCSP whether leaf and intermediate of a chain were revoked: an optional step after
/// verification, for evidence that just arrived. Never used for stored evidence, whose leaf may
/// have been retired long ago.
///
/// The caller decides on any status but `good`: see `RevocationStatus.refusal`.
public struct RevocationCheck: Sendable {
    private let transport: (any RevocationTransport)?

    /// A check that reaches responders through `transport`; without it every status is unknown.
    public init(transport: (any RevocationTransport)?) {
        self.transport = transport
    }

    /// The requests for a chain: leaf, then intermediate. The root is pinned and needs none. Empty
    /// if a certificate names no responder.
    public static func queries(for chain: VerifiedCertificateChain) -> [RevocationQuery] {
        guard let leaf = RevocationQuery(certificate: chain.leaf, issuer: chain.intermediate),
            let intermediate = RevocationQuery(certificate: chain.intermediate, issuer: chain.root)
        else { return [] }
        return [leaf, intermediate]
    }

    /// The status of both certificates: `revoked` if either is, else `unknown` if either is.
    public func status(of chain: VerifiedCertificateChain, now: Timestamp) async -> RevocationStatus
    {
        let queries = RevocationCheck.queries(for: chain)
        guard !queries.isEmpty else { return .unknown("A certificate names no responder.") }
        var found = RevocationStatus.good
        for query in queries {
            switch await status(of: query, now: now) {
            case .good: continue
            case .revoked: return .revoked
            case .unknown(let reason): if found == .good { found = .unknown(reason) }
            }
        }
        return found
    }

    private func status(of query: RevocationQuery, now: Timestamp) async -> RevocationStatus {
        guard let answer = try? await transport?.post(query.request, to: query.address) else {
            return .unknown("The responder could not be reached.")
        }
        return RevocationCheck.status(of: query, answer: answer, now: now)
    }
}
