internal import AppStore
internal import COpenSSL

/// One request to an OCSP responder (RFC 6960 §4.1) for the status of a certificate. SHA-256 ids
/// and no nonce, as in Apple's libraries (`Verification.md`).
public struct RevocationQuery: Sendable, Hashable {
    /// The responder named in the certificate (RFC 5280 §4.2.2.1).
    public let address: String
    /// The request as DER.
    public let request: [UInt8]
    let certificate: [UInt8]
    let issuer: [UInt8]

    /// Nil if a certificate is invalid or names no HTTP responder.
    init?(certificate: [UInt8], issuer: [UInt8]) {
        let made: (String, [UInt8])? = ErrorQueue.contained {
            guard let subject = Certificate(der: certificate),
                let authority = Certificate(der: issuer),
                let address = RevocationQuery.responder(of: subject),
                let request = RevocationQuery.request(subject, issuer: authority), !request.isEmpty
            else { return nil }
            return (address, request)
        }
        guard let made else { return nil }
        (address, request) = made
        self.certificate = certificate
        self.issuer = issuer
    }

    /// The id of the certificate in request and response; the caller frees it.
    static func identifier(
        of subject: borrowing Certificate, issuer: borrowing Certificate
    ) -> OpaquePointer? {
        OCSP_cert_to_id(EVP_sha256(), subject.handle, issuer.handle)
    }

    private static func request(
        _ subject: borrowing Certificate, issuer: borrowing Certificate
    ) -> [UInt8]? {
        guard let request = OCSP_REQUEST_new() else { return nil }
        defer { OCSP_REQUEST_free(request) }
        guard let identifier = identifier(of: subject, issuer: issuer) else { return nil }
        // OCSP_request_add0_id(3) takes ownership of the id on success.
        guard OCSP_request_add0_id(request, identifier) != nil else {
            OCSP_CERTID_free(identifier)
            return nil
        }
        return DER.encoded { i2d_OCSP_REQUEST(request, $0) }
    }

    private static func responder(of subject: borrowing Certificate) -> String? {
        guard let addresses = X509_get1_ocsp(subject.handle) else { return nil }
        defer { X509_email_free(addresses) }
        for index in 0..<subledger_string_stack_count(addresses) {
            guard let text = subledger_string_stack_at(addresses, index) else { continue }
            let address = String(cString: text)
            if address.hasPrefix("http://") || address.hasPrefix("https://") { return address }
        }
        return nil
    }
}
