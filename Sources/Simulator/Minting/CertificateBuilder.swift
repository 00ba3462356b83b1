import AppStore
internal import COpenSSL
internal import Signing

/// An X.509 v3 certificate to be minted. The caller chooses everything, including mistakes, because
/// tests mostly need invalid certificates.
struct CertificateBuilder {
    /// The holder's name.
    let subject: DistinguishedName
    /// The stated issuer; the signer is chosen separately.
    let issuer: DistinguishedName
    /// notBefore and notAfter, truncated to whole seconds.
    let validity: ClosedRange<Timestamp>
    /// The holder's key, from whose identifier the serial number follows.
    let key: any MintingKey
    /// Digest of the signature.
    let digest: String
    /// In encoding order.
    let extensions: [CertificateExtension]

    /// The certificate as DER.
    func sign(by signer: any MintingKey) throws(SigningError) -> [UInt8] {
        let der: [UInt8]? = ErrorQueue.contained {
            guard let handle = X509_new() else { return nil }
            let certificate = Certificate(takingOwnershipOf: handle)
            guard fill(handle), setKey(key.publicKeyInfo, of: handle),
                let algorithm = EVP_get_digestbyname(digest),
                X509_sign(handle, signer.handle, algorithm) > 0
            else { return nil }
            return certificate.der
        }
        guard let der, !der.isEmpty else { throw SigningError(.refused) }
        return der
    }

    private static let version3 = 2

    private func fill(_ certificate: OpaquePointer) -> Bool {
        guard X509_set_version(certificate, CertificateBuilder.version3) == 1,
            setSerial(of: certificate),
            setName(subject, with: { X509_set_subject_name(certificate, $0) }),
            setName(issuer, with: { X509_set_issuer_name(certificate, $0) }),
            setTime(validity.lowerBound, with: { X509_set1_notBefore(certificate, $0) }),
            setTime(validity.upperBound, with: { X509_set1_notAfter(certificate, $0) })
        else { return false }
        for each in extensions {
            guard add(each, to: certificate) else { return false }
        }
        return true
    }

    private func setSerial(of certificate: OpaquePointer) -> Bool {
        // The highest bit cleared: serial numbers are positive (RFC 5280 §4.1.2.2).
        let identifier = key.identifier
        let serial = [identifier[0] & 0x7F | 0x40] + identifier.dropFirst().prefix(7)
        guard let number = BN_bin2bn(serial, Int32(serial.count), nil) else { return false }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private func setName(
        _ name: DistinguishedName, with assign: (OpaquePointer) -> Int32
    ) -> Bool {
        guard let handle = X509_NAME_new() else { return false }
        defer { X509_NAME_free(handle) }
        for entry in name.entries {
            let value = Array(entry.value.utf8)
            let added = X509_NAME_add_entry_by_txt(
                handle, entry.name, MBSTRING_UTF8, value, Int32(value.count), -1, 0)
            guard added == 1 else { return false }
        }
        return assign(handle) == 1
    }

    private func setTime(
        _ moment: Timestamp, with assign: (UnsafePointer<ASN1_TIME>) -> Int32
    ) -> Bool {
        guard let time = ASN1_TIME_set(nil, Int(moment.milliseconds / 1000)) else { return false }
        defer { ASN1_TIME_free(time) }
        return assign(time) == 1
    }

    private func setKey(_ info: [UInt8], of certificate: OpaquePointer) -> Bool {
        guard let key = DER.decoded(info, { d2i_PUBKEY(nil, $0, $1) }) else { return false }
        defer { EVP_PKEY_free(key) }
        return X509_set_pubkey(certificate, key) == 1
    }

    private func add(_ each: CertificateExtension, to certificate: OpaquePointer) -> Bool {
        guard let object = OBJ_txt2obj(each.identifier, 1) else { return false }
        defer { ASN1_OBJECT_free(object) }
        guard let value = ASN1_OCTET_STRING_new() else { return false }
        defer { ASN1_OCTET_STRING_free(value) }
        guard ASN1_OCTET_STRING_set(value, each.value, Int32(each.value.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, object, each.isCritical ? 1 : 0, value)
        else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }
}
