import AppStore
import COpenSSL
import Signing

/// An OCSP response to be minted (RFC 6960 §4.2), for tests of the reader.
struct OCSPResponseBuilder: Sendable {
    /// The status of every requested certificate.
    var status: RevocationStatus
    /// thisUpdate and nextUpdate, truncated to whole seconds.
    var window: ValidityWindow
    /// Whether it has a nextUpdate.
    var hasNextUpdate = true
    /// Certificates included in the response, such as a delegate's.
    var certificates: [[UInt8]] = []

    /// A response with a nextUpdate and without certificates.
    init(status: RevocationStatus, window: ValidityWindow) {
        self.status = status
        self.window = window
    }

    /// The response to `request`, signed by `key`, whose certificate is `signer`.
    func answer(
        _ request: [UInt8], signer: [UInt8], key: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        let response: [UInt8]? = ErrorQueue.contained {
            guard let basic = OCSP_BASICRESP_new() else { return nil }
            defer { OCSP_BASICRESP_free(basic) }
            guard addStatuses(request, to: basic), sign(basic, signer: signer, key: key) else {
                return nil
            }
            return OCSPResponseBuilder.encode(basic)
        }
        guard let response, !response.isEmpty else { throw SigningError(.refused) }
        return response
    }

    private func addStatuses(_ bytes: [UInt8], to basic: OpaquePointer) -> Bool {
        guard let parsed = DER.decoded(bytes, { d2i_OCSP_REQUEST(nil, $0, $1) }) else {
            return false
        }
        defer { OCSP_REQUEST_free(parsed) }
        guard let from = ASN1_TIME_set(nil, Int(window.from.milliseconds / 1000)) else {
            return false
        }
        defer { ASN1_TIME_free(from) }
        guard let until = ASN1_TIME_set(nil, Int(window.until.milliseconds / 1000)) else {
            return false
        }
        defer { ASN1_TIME_free(until) }
        for index in 0..<OCSP_request_onereq_count(parsed) {
            let single = OCSP_request_onereq_get0(parsed, index)
            let added = OCSP_basic_add1_status(
                basic, OCSP_onereq_get0_id(single), code, OCSP_REVOKED_STATUS_NOSTATUS, from, from,
                hasNextUpdate ? until : nil)
            guard added != nil else { return false }
        }
        return true
    }

    private var code: Int32 {
        switch status {
        case .good: V_OCSP_CERTSTATUS_GOOD
        case .revoked: V_OCSP_CERTSTATUS_REVOKED
        case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
        }
    }

    private func sign(_ basic: OpaquePointer, signer: [UInt8], key: PrivateKey) -> Bool {
        guard let certificate = Certificate(der: signer) else { return false }
        for der in certificates {
            guard let sent = Certificate(der: der), OCSP_basic_add1_cert(basic, sent.handle) == 1
            else { return false }
        }
        return OCSP_basic_sign(
            basic, certificate.handle, key.handle, EVP_sha256(), nil, UInt(OCSP_NOCERTS)) == 1
    }

    private static func encode(_ basic: OpaquePointer) -> [UInt8]? {
        guard let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic) else {
            return nil
        }
        defer { OCSP_RESPONSE_free(response) }
        return DER.encoded { i2d_OCSP_RESPONSE(response, $0) }
    }
}
