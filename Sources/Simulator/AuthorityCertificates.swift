internal import AppStore
internal import Signing

/// The three certificates of an `Authority`, with Apple's extensions in Apple's order.
enum AuthorityCertificates {
    private static let rootName = DistinguishedName(
        commonName: "Throw-away Root CA - T3", organizationalUnit: "Test Certification Authority",
        organization: "Subledger", country: "ZZ")
    private static let intermediateName = DistinguishedName(
        commonName: "Throw-away Worldwide Developer Relations Test Certification",
        organizationalUnit: "T6", organization: "Subledger", country: "ZZ")
    private static let leafName = DistinguishedName(
        commonName: "Test ECC App Store and Store Receipt Signing, throw-away",
        organizationalUnit: "Throw-away Worldwide Developer Relations",
        organization: "Subledger", country: "ZZ")
    private static let notice = """
        This certificate was created for a test and discarded after use. Its signatures are not \
        trustworthy; a verifier accepts them only if it was configured to trust this test root.
        """

    static func root(_ shape: AuthorityShape, key: PrivateKey) throws(MintingError) -> [UInt8] {
        let identifier = keyIdentifier(key)
        let builder = builder(
            rootName, issuer: rootName, validity: shape.rootValidity,
            serial: identifier, shape: shape,
            extensions: [
                .subjectKeyIdentifier(identifier),
                .basicConstraints(isCA: true, pathLength: shape.violatesPathLength ? 0 : nil),
                .certificateSigning,
            ])
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: key)
    }

    static func intermediate(
        _ shape: AuthorityShape, key: PrivateKey, rootKey: PrivateKey
    ) throws(MintingError) -> [UInt8] {
        let identifier = keyIdentifier(key)
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: shape.isIntermediateCA, pathLength: shape.isIntermediateCA ? 0 : nil),
            .authorityKeyIdentifier(keyIdentifier(rootKey)),
            .authorityInformation(
                issuers: nil, ocsp: "http://ocsp.example.invalid/ocsp03-throwawayroott3"),
            .revocationList("http://crl.example.invalid/throwawayroott3.crl"),
            .subjectKeyIdentifier(identifier),
            shape.mayIntermediateSign ? .certificateSigning : .digitalSignature,
        ]
        if shape.hasIntermediateMarker {
            extensions.append(.marker(ChainPolicy.intermediateMarker))
        }
        let builder = builder(
            intermediateName, issuer: rootName, validity: shape.intermediateValidity,
            serial: identifier, shape: shape, extensions: extensions)
        let signer = shape.isIntermediateForged ? try PrivateKey(generating: .p384) : rootKey
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: signer)
    }

    static func leaf(
        _ shape: AuthorityShape, key: PrivateKey, intermediateKey: PrivateKey
    ) throws(MintingError) -> [UInt8] {
        let identifier = keyIdentifier(key)
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: shape.isLeafCA || shape.isLeafCAForData),
            .authorityKeyIdentifier(keyIdentifier(intermediateKey)),
            .authorityInformation(
                issuers: "http://certs.example.invalid/throwaway.der",
                ocsp: "http://ocsp.example.invalid/ocsp03-throwaway02"),
            .policies(
                "2.25.1", address: "http://www.example.invalid/authority/", notice: notice),
            .subjectKeyIdentifier(identifier),
            leafUsage(shape),
        ]
        if shape.hasLeafMarker { extensions.append(.marker(ChainPolicy.leafMarker)) }
        if shape.hasUnknownCriticalExtension {
            extensions.append(.marker("2.25.2", isCritical: true))
        }
        var issuer = intermediateName
        if shape.isLeafMisnamed { issuer.commonName = "Somebody else" }
        let builder = builder(
            leafName, issuer: issuer, validity: shape.leafValidity, serial: identifier,
            shape: shape, extensions: extensions)
        let signer = shape.isLeafForged ? try PrivateKey(generating: .p384) : intermediateKey
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: signer)
    }

    /// An OCSP responder's certificate, genuine or not.
    static func responder(
        _ shape: AuthorityShape, key: PrivateKey, issuerKey: PrivateKey, isOfRoot: Bool,
        mayAnswer: Bool, validity: ClosedRange<Timestamp>
    ) throws(MintingError) -> [UInt8] {
        let identifier = keyIdentifier(key)
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: false),
            .authorityKeyIdentifier(keyIdentifier(issuerKey)),
            .subjectKeyIdentifier(identifier), .digitalSignature,
        ]
        if mayAnswer { extensions.append(.ocspSigning) }
        let builder = builder(
            DistinguishedName(commonName: "Throw-away Responder"),
            issuer: isOfRoot ? rootName : intermediateName, validity: validity,
            serial: identifier, shape: shape, extensions: extensions)
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: issuerKey)
    }

    private static func leafUsage(_ shape: AuthorityShape) -> CertificateExtension {
        guard shape.mayLeafSign else { return .keyAgreement }
        return shape.isLeafCA ? .certificateSigning : .digitalSignature
    }

    private static func builder(
        _ subject: DistinguishedName, issuer: DistinguishedName,
        validity: ClosedRange<Timestamp>, serial: [UInt8], shape: AuthorityShape,
        extensions: [CertificateExtension]
    ) -> CertificateBuilder {
        var builder = CertificateBuilder(
            subject: subject, issuer: issuer,
            validity: ValidityWindow(from: validity.lowerBound, until: validity.upperBound),
            // The highest bit cleared: serial numbers are positive (RFC 5280 §4.1.2.2).
            serial: [serial[0] & 0x7F | 0x40] + serial.dropFirst().prefix(7),
            extensions: extensions)
        if shape.usesWeakDigest { builder.digest = "SHA1" }
        return builder
    }

    /// 20 bytes of the key's SHA-256 (RFC 7093 §2 method 1).
    private static func keyIdentifier(_ key: PrivateKey) -> [UInt8] {
        Array(SHA256.hash(key.publicKeyInfo).bytes.prefix(20))
    }
}
