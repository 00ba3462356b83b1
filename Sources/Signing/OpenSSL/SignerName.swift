internal import AppStore
internal import COpenSSL

/// The identifier of a signer's certificate (RFC 5652 §5.3, SignerIdentifier): issuer and serial
/// number, or key identifier. Confined to one task.
struct SignerName: ~Copyable {
    private let issuer: OpaquePointer?
    private let serial: UnsafeMutablePointer<ASN1_INTEGER>?
    private let keyIdentifier: [UInt8]

    /// Nil unless `encoding` is exactly one of the two.
    init?(_ encoding: [UInt8]) {
        let parts = SignerName.parts(encoding)
        guard let parts else { return nil }
        guard let issuer = parts.issuer, let serial = parts.serial else {
            guard !parts.keyIdentifier.isEmpty else { return nil }
            self.issuer = nil
            self.serial = nil
            keyIdentifier = parts.keyIdentifier
            return
        }
        guard let name = DER.decoded(issuer, { d2i_X509_NAME(nil, $0, $1) }) else { return nil }
        guard let number = DER.decoded(serial, { d2i_ASN1_INTEGER(nil, $0, $1) }) else {
            X509_NAME_free(name)
            return nil
        }
        self.issuer = name
        self.serial = number
        keyIdentifier = []
    }

    deinit {
        X509_NAME_free(issuer)
        ASN1_INTEGER_free(serial)
    }

    /// Whether it identifies this certificate.
    func matches(_ certificate: borrowing Certificate) -> Bool {
        guard let issuer, let serial else {
            guard let key = X509_get0_subject_key_id(certificate.handle),
                let start = ASN1_STRING_get0_data(key)
            else { return false }
            return UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(key)))
                .elementsEqual(keyIdentifier)
        }
        return X509_NAME_cmp(issuer, X509_get_issuer_name(certificate.handle)) == 0
            && ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate.handle)) == 0
    }

    private struct Parts {
        var issuer: [UInt8]?
        var serial: [UInt8]?
        var keyIdentifier: [UInt8] = []
    }

    private static func parts(_ encoding: [UInt8]) -> Parts? {
        let bytes = encoding.span
        do throws(BERError) {
            var cursor = BERCursor(0..<bytes.count)
            guard let element = try cursor.next(in: bytes) else { return nil }
            try cursor.requireEnd()
            guard element.tag == BERTag.sequence else {
                return Parts(keyIdentifier: BER.copy(element.contents, of: bytes))
            }
            var inner = BERCursor(element.contents)
            let issuer = try inner.require(BERTag.sequence, in: bytes)
            let serial = try inner.require(BERTag.integer, in: bytes)
            try inner.requireEnd()
            return Parts(
                issuer: BER.copy(issuer.encoding, of: bytes),
                serial: BER.copy(serial.encoding, of: bytes))
        } catch {
            return nil
        }
    }
}
