/// How an OCSP request reaches its responder. Nothing here opens a connection; the caller brings
/// its own, with its own time limit (Apple's libraries wait 30 s).
public protocol RevocationTransport: Sendable {
    /// Posts `request` with content type `application/ocsp-request` (RFC 6960 appendix A.1) and
    /// gives back the body of a 200. Anything else throws.
    func post(_ request: [UInt8], to address: String) async throws -> [UInt8]
}
