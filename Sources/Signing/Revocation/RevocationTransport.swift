/// Sends an OCSP request to its responder. This module opens no connections; the caller supplies
/// the transport with its own timeout (Apple's libraries wait 30 s).
public protocol RevocationTransport: Sendable {
    /// Posts `request` with content type `application/ocsp-request` (RFC 6960 appendix A.1) and
    /// returns the body of a 200 response. Throws for anything else.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8]
}
