/// Sends OCSP requests to their responders. The caller supplies one, with limits on time and bytes.
public protocol RevocationTransport: Sendable {
    /// Posts `request` with content type `application/ocsp-request` (RFC 6960 appendix A.1) and
    /// returns the body of a 200 response. Throws for anything else.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8]
}
