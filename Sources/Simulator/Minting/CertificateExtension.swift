internal import Signing

/// One extension of a certificate to be minted (RFC 5280 §4.2): identifier, criticality, DER value.
struct CertificateExtension: Hashable, Sendable {
    /// Dotted object identifier.
    var identifier: String
    /// Whether readers must reject the certificate if they do not know the extension.
    var isCritical: Bool
    /// The value as DER, without the octet string around it.
    var value: [UInt8]

    init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// RFC 5280 §4.2.1.9. `pathLength` is meaningful only for an authority.
    static func basicConstraints(
        isCA: Bool, pathLength: Int64? = nil
    ) -> CertificateExtension {
        var elements: [[UInt8]] = isCA ? [DER.booleanTrue] : []
        if let pathLength { elements.append(DER.integer(pathLength)) }
        return CertificateExtension(
            "2.5.29.19", isCritical: true, value: DER.sequence(elements))
    }

    /// RFC 5280 §4.2.1.3, digitalSignature: the leaf of a JWS.
    static let digitalSignature = CertificateExtension(
        "2.5.29.15", isCritical: true, value: DER.namedBits(0b1000_0000))

    /// RFC 5280 §4.2.1.3, keyCertSign and cRLSign: an authority.
    static let certificateSigning = CertificateExtension(
        "2.5.29.15", isCritical: true, value: DER.namedBits(0b0000_0110))

    /// RFC 5280 §4.2.1.3, keyAgreement: a key that must not sign.
    static let keyAgreement = CertificateExtension(
        "2.5.29.15", isCritical: true, value: DER.namedBits(0b0000_1000))

    /// RFC 6960 §4.2.2.2: a delegated OCSP responder of its issuer.
    static let ocspSigning = CertificateExtension(
        "2.5.29.37", value: DER.sequence([DER.objectIdentifier("1.3.6.1.5.5.7.3.9")]))

    /// RFC 5280 §4.2.1.2.
    static func subjectKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension("2.5.29.14", value: DER.octetString(identifier))
    }

    /// RFC 5280 §4.2.1.1, keyIdentifier only.
    static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension("2.5.29.35", value: DER.sequence([DER.element(0x80, identifier)]))
    }

    /// RFC 5280 §4.2.2.1: addresses of the issuer's certificate and its OCSP responder.
    static func authorityInformation(
        issuers: String?, ocsp: String
    ) -> CertificateExtension {
        func access(_ method: String, _ address: String) -> [UInt8] {
            DER.sequence([
                DER.objectIdentifier(method), DER.element(0x86, Array(address.utf8)),
            ])
        }
        var elements: [[UInt8]] = []
        if let issuers { elements.append(access("1.3.6.1.5.5.7.48.2", issuers)) }
        elements.append(access("1.3.6.1.5.5.7.48.1", ocsp))
        return CertificateExtension("1.3.6.1.5.5.7.1.1", value: DER.sequence(elements))
    }

    /// RFC 5280 §4.2.1.13.
    static func revocationList(_ address: String) -> CertificateExtension {
        let name = DER.element(0xA0, DER.element(0xA0, DER.element(0x86, Array(address.utf8))))
        return CertificateExtension("2.5.29.31", value: DER.sequence([DER.sequence([name])]))
    }

    /// RFC 5280 §4.2.1.4: one policy with an address and a notice for people.
    static func policies(
        _ policy: String, address: String, notice: String
    ) -> CertificateExtension {
        let practice = DER.sequence([
            DER.objectIdentifier("1.3.6.1.5.5.7.2.1"), DER.ia5String(address),
        ])
        let user = DER.sequence([
            DER.objectIdentifier("1.3.6.1.5.5.7.2.2"), DER.sequence([DER.utf8String(notice)]),
        ])
        let information = DER.sequence([
            DER.objectIdentifier(policy), DER.sequence([user, practice]),
        ])
        return CertificateExtension("2.5.29.32", value: DER.sequence([information]))
    }

    /// An extension whose presence alone matters, like Apple's markers.
    static func marker(
        _ identifier: String, isCritical: Bool = false
    ) -> CertificateExtension {
        CertificateExtension(identifier, isCritical: isCritical, value: DER.null)
    }
}
