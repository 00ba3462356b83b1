internal import AppStore
internal import COpenSSL

/// Owns one parsed X.509 certificate. Confined to one task: OpenSSL fills caches inside it.
package struct Certificate: ~Copyable {
    /// The X509 of OpenSSL.
    package let handle: OpaquePointer

    /// Nil unless `der` is exactly one certificate in DER, without trailing bytes.
    ///
    /// OpenSSL also reads BER, in which one certificate has any number of encodings; it writes DER.
    /// It keeps the signed part as read: another encoding of that part would have another
    /// signature.
    package init?(der: [UInt8]) {
        guard let parsed = DER.decoded(der, { d2i_X509(nil, $0, $1) }) else { return nil }
        guard Certificate.encoded(parsed) == der else {
            X509_free(parsed)
            return nil
        }
        handle = parsed
    }

    /// Takes ownership of the caller's reference.
    package init(takingOwnershipOf handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { X509_free(handle) }

    /// The certificate as DER.
    package var der: [UInt8] { Certificate.encoded(handle) }

    private static func encoded(_ handle: OpaquePointer) -> [UInt8] {
        DER.encoded { i2d_X509(handle, $0) }
    }

    /// X.509 v3 is encoded as 2 (RFC 5280 §4.1.2.1).
    var isVersion3: Bool { X509_get_version(handle) == 2 }

    /// Whether it may sign certificates: the CA flag of BasicConstraints (RFC 5280 §4.2.1.9). 1 is
    /// OpenSSL's result for a v3 CA; OpenSSL also accepts v1 certificates, which are rejected here.
    var isCA: Bool { X509_check_ca(handle) == 1 }

    /// Whether OpenSSL could take it for an authority by any rule, including the lenient ones.
    /// X509_check_ca(3) returns 0 if KeyUsage lacks keyCertSign, so BasicConstraints are also
    /// checked.
    var mightBeCA: Bool {
        X509_check_ca(handle) != 0 || X509_get_extension_flags(handle) & UInt32(EXFLAG_CA) != 0
    }

    /// Whether an extension is critical but unknown (RFC 5280 §4.2), invalid, or duplicated.
    var hasUnusableExtension: Bool {
        let flags = X509_get_extension_flags(handle)
        return flags & UInt32(EXFLAG_CRITICAL | EXFLAG_INVALID) != 0
    }

    /// Bits of KeyUsage, or nil if the certificate does not restrict its key.
    var keyUsage: UInt32? {
        let usage = X509_get_key_usage(handle)
        return usage == UInt32.max ? nil : usage
    }

    var mayVerifySignatures: Bool {
        keyUsage.map { $0 & UInt32(KU_DIGITAL_SIGNATURE) != 0 } ?? true
    }

    var maySignCertificates: Bool {
        keyUsage.map { $0 & UInt32(KU_KEY_CERT_SIGN) != 0 } ?? true
    }

    /// Most non-self-issued authorities below this one; nil if unlimited.
    var pathLength: Int? {
        let length = X509_get_pathlen(handle)
        return length < 0 ? nil : length
    }

    var isSelfIssued: Bool {
        X509_NAME_cmp(X509_get_subject_name(handle), X509_get_issuer_name(handle)) == 0
    }

    /// Whether `issuer`'s subject is this certificate's issuer, byte for byte in OpenSSL's
    /// canonical form (RFC 5280 §6.1.3 (a)(4)).
    func isNamed(asIssuedBy issuer: borrowing Certificate) -> Bool {
        X509_NAME_cmp(X509_get_subject_name(issuer.handle), X509_get_issuer_name(handle)) == 0
    }

    /// Whether there is an extension with this dotted identifier, of any value.
    func hasExtension(_ identifier: String) -> Bool {
        guard let object = OBJ_txt2obj(identifier, 1) else { return false }
        defer { ASN1_OBJECT_free(object) }
        return X509_get_ext_by_OBJ(handle, object, -1) >= 0
    }

    /// From notBefore to notAfter, both inclusive (RFC 5280 §4.1.2.5); nil if unreadable.
    var validity: ValidityWindow? {
        guard let from = Certificate.timestamp(X509_get0_notBefore(handle)),
            let until = Certificate.timestamp(X509_get0_notAfter(handle))
        else { return nil }
        return ValidityWindow(from: from, until: until)
    }

    /// The public key with its algorithm, as DER (SubjectPublicKeyInfo).
    var publicKeyInfo: [UInt8] {
        guard let info = X509_get_X509_PUBKEY(handle) else { return [] }
        return DER.encoded { i2d_X509_PUBKEY(info, $0) }
    }

    /// The key for verifying ES256, or nil unless it is on the named curve P-256.
    var verificationKey: VerificationKey? { VerificationKey(publicKeyInfo: publicKeyInfo) }

    static func timestamp(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Timestamp(milliseconds: (Int64(days) * 86_400 + Int64(seconds)) * 1000)
    }
}
