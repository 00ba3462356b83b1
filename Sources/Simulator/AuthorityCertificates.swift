import AppStore
package import Signing

/// The three certificates of an `Authority`, with Apple's extensions in Apple's order.
package enum AuthorityCertificates {
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

    static func root(_ shape: AuthorityShape, key: PrivateKey) throws(SigningError) -> [UInt8] {
        let builder = CertificateBuilder(
            subject: rootName, issuer: rootName, validity: shape.rootValidity,
            key: key, digest: digest(shape),
            extensions: [
                .subjectKeyIdentifier(key.identifier),
                .basicConstraints(isCA: true, pathLength: shape.violatesPathLength ? 0 : nil),
                .certificateSigning,
            ])
        return try builder.sign(by: key)
    }

    static func intermediate(
        _ shape: AuthorityShape, key: PrivateKey, rootKey: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: shape.isIntermediateCA, pathLength: shape.isIntermediateCA ? 0 : nil),
            .authorityKeyIdentifier(rootKey.identifier),
            .authorityInformation(
                issuers: nil, ocsp: "http://ocsp.example.invalid/ocsp03-throwawayroott3"),
            .revocationList("http://crl.example.invalid/throwawayroott3.crl"),
            .subjectKeyIdentifier(key.identifier),
            shape.mayIntermediateSign ? .certificateSigning : .digitalSignature,
        ]
        if shape.hasIntermediateMarker {
            extensions.append(.marker(CertificateChainPolicy.intermediateMarker))
        }
        let builder = CertificateBuilder(
            subject: intermediateName, issuer: rootName, validity: shape.intermediateValidity,
            key: key, digest: digest(shape), extensions: extensions)
        let signer = shape.isIntermediateForged ? try PrivateKey(generating: .p384) : rootKey
        return try builder.sign(by: signer)
    }

    static func leaf(
        _ shape: AuthorityShape, key: PrivateKey, intermediateKey: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: shape.isLeafCA || shape.isLeafCAForData),
            .authorityKeyIdentifier(intermediateKey.identifier),
            .authorityInformation(
                issuers: "http://certs.example.invalid/throwaway.der",
                ocsp: "http://ocsp.example.invalid/ocsp03-throwaway02"),
            .policies(
                "2.25.1", address: "http://www.example.invalid/authority/", notice: notice),
            .subjectKeyIdentifier(key.identifier),
            leafUsage(shape),
        ]
        if shape.hasLeafMarker { extensions.append(.marker(CertificateChainPolicy.leafMarker)) }
        if shape.hasUnknownCriticalExtension {
            extensions.append(.marker("2.25.2", isCritical: true))
        }
        var issuer = intermediateName
        if shape.isLeafMisnamed { issuer.commonName = "Somebody else" }
        let builder = CertificateBuilder(
            subject: leafName, issuer: issuer, validity: shape.leafValidity, key: key,
            digest: digest(shape), extensions: extensions)
        let signer = shape.isLeafForged ? try PrivateKey(generating: .p384) : intermediateKey
        return try builder.sign(by: signer)
    }

    /// An OCSP responder's certificate, genuine or not.
    package static func responder(
        _ shape: AuthorityShape, key: PrivateKey, issuerKey: PrivateKey, isOfRoot: Bool,
        mayAnswer: Bool, validity: ClosedRange<Timestamp>
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: false),
            .authorityKeyIdentifier(issuerKey.identifier),
            .subjectKeyIdentifier(key.identifier), .digitalSignature,
        ]
        if mayAnswer { extensions.append(.ocspSigning) }
        let builder = CertificateBuilder(
            subject: DistinguishedName(commonName: "Throw-away Responder"),
            issuer: isOfRoot ? rootName : intermediateName, validity: validity,
            key: key, digest: digest(shape), extensions: extensions)
        return try builder.sign(by: issuerKey)
    }

    private static func leafUsage(_ shape: AuthorityShape) -> CertificateExtension {
        guard shape.mayLeafSign else { return .keyAgreement }
        return shape.isLeafCA ? .certificateSigning : .digitalSignature
    }

    private static func digest(_ shape: AuthorityShape) -> String {
        shape.usesWeakDigest ? "SHA1" : "SHA384"
    }
}
