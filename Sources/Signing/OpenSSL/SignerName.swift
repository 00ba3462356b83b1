internal import AppStore
internal import COpenSSL

/// The identifier of a signer's certificate (RFC 5652 §5.3, SignerIdentifier): issuer and serial
/// number, or key identifier. Confined to one task.
struct SignerName: ~Copyable {
    private let issued: UnsafeMutablePointer<PKCS7_ISSUER_AND_SERIAL>?
    private let keyIdentifier: [UInt8]

    /// Nil unless `encoding` is one of the two.
    init?(_ encoding: [UInt8]) {
        guard encoding.first != BERTag.sequence else {
            guard
                let issued = DER.decoded(encoding, { d2i_PKCS7_ISSUER_AND_SERIAL(nil, $0, $1) })
            else { return nil }
            self.issued = issued
            keyIdentifier = []
            return
        }
        let bytes = encoding.span
        guard let element = try? BER.element(at: 0, in: bytes, until: bytes.count),
            element.end == bytes.count, !element.contents.isEmpty
        else { return nil }
        issued = nil
        keyIdentifier = BER.copy(element.contents, of: bytes)
    }

    deinit { PKCS7_ISSUER_AND_SERIAL_free(issued) }

    func matches(_ certificate: borrowing Certificate) -> Bool {
        guard let issued else {
            guard let key = X509_get0_subject_key_id(certificate.handle),
                let start = ASN1_STRING_get0_data(key)
            else { return false }
            return UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(key)))
                .elementsEqual(keyIdentifier)
        }
        return X509_NAME_cmp(issued.pointee.issuer, X509_get_issuer_name(certificate.handle)) == 0
            && ASN1_INTEGER_cmp(
                issued.pointee.serial, X509_get0_serialNumber(certificate.handle)) == 0
    }
}
