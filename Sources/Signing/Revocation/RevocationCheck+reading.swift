public import AppStore
internal import COpenSSL

extension RevocationCheck {
    /// Tolerated difference between the responder's clock and the local one, in both directions, as
    /// in Apple's Node library.
    public static let clockSkewMilliseconds: Int64 = 60_000
    /// Upper bound of a response, 1 MiB, as in Apple's Swift library; real ones have 1–2 KB.
    public static let maximumResponseByteCount = 1_048_576

    /// The meaning of a responder's response at `now` (RFC 6960 §3.2): it must be successful,
    /// signed by the issuer or a responder to which the issuer delegated, about the requested
    /// certificate, and current.
    public static func status(
        of query: RevocationQuery, answer response: [UInt8], now: Timestamp
    ) -> RevocationStatus {
        guard response.count <= maximumResponseByteCount else {
            return .unknown("The response is too long.")
        }
        return ErrorQueue.contained {
            guard let subject = Certificate(der: query.certificate),
                let issuer = Certificate(der: query.issuer)
            else { return .unknown("A certificate is unreadable.") }
            guard let basic = basicResponse(response) else {
                return .unknown("The response is not a successful OCSP response.")
            }
            defer { OCSP_BASICRESP_free(basic) }
            guard isAuthentic(basic, issuer: issuer, now: now) else {
                return .unknown("The response is not signed by the issuer or its delegate.")
            }
            guard let identifier = RevocationQuery.identifier(of: subject, issuer: issuer) else {
                return .unknown("The certificate id cannot be computed.")
            }
            defer { OCSP_CERTID_free(identifier) }
            return status(in: basic, of: identifier, now: now)
        }
    }

    private static func basicResponse(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let start = next, let response = d2i_OCSP_RESPONSE(nil, &next, buffer.count)
            else { return nil }
            defer { OCSP_RESPONSE_free(response) }
            guard next == start + buffer.count,
                OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL
            else { return nil }
            return OCSP_response_get1_basic(response)
        }
    }

    /// OCSP_basic_verify(3) with the issuer as the only trusted certificate: the signer is the
    /// issuer, or issued by it for OCSPSigning and valid now.
    private static func isAuthentic(
        _ basic: OpaquePointer, issuer: borrowing Certificate, now: Timestamp
    ) -> Bool {
        guard let store = X509_STORE_new() else { return false }
        defer { X509_STORE_free(store) }
        guard X509_STORE_add_cert(store, issuer.handle) == 1,
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1
        else { return false }
        X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), Int(now.milliseconds / 1000))
        guard let known = subledger_x509_stack() else { return false }
        defer { subledger_x509_stack_free(known) }
        guard subledger_x509_stack_push(known, issuer.handle) > 0 else { return false }
        // No explicit trust: only issuer and delegate may respond.
        return OCSP_basic_verify(basic, known, store, UInt(OCSP_NOEXPLICIT)) == 1
    }

    private static func status(
        in basic: OpaquePointer, of identifier: OpaquePointer, now: Timestamp
    ) -> RevocationStatus {
        var status: Int32 = -1
        var reason: Int32 = -1
        var revokedAt: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let isFound = OCSP_resp_find_status(
            basic, identifier, &status, &reason, &revokedAt, &thisUpdate, &nextUpdate)
        guard isFound == 1 else { return .unknown("The response is about another certificate.") }
        // Without nextUpdate an old response could be replayed indefinitely.
        guard let from = Certificate.timestamp(thisUpdate),
            let until = Certificate.timestamp(nextUpdate), from <= until
        else { return .unknown("The response has no validity period.") }
        let window = ValidityWindow(
            from: from.advanced(byMilliseconds: -clockSkewMilliseconds),
            until: until.advanced(byMilliseconds: clockSkewMilliseconds))
        guard window.contains(now) else { return .unknown("The response is not current.") }
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return .good
        case V_OCSP_CERTSTATUS_REVOKED: return .revoked
        default: return .unknown("The responder does not know the certificate.")
        }
    }
}
