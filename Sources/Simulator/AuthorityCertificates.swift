import AppStore
package import Signing

/// Mints the three certificates of an authority, with Apple's extensions in Apple's order.
package struct AuthorityCertificates {
    private let rootName: DistinguishedName
    private let intermediateName: DistinguishedName
    private let leafName: DistinguishedName
    /// Extensions of the intermediate and the leaf that lead to other documents.
    private let intermediateLinks: [CertificateExtension]
    private let leafLinks: [CertificateExtension]
    private let makesKey: () throws(SigningError) -> any MintingKey

    /// The certificates that sign JWS.
    package static var jws: AuthorityCertificates {
        AuthorityCertificates(
            rootName: name(
                "Throw-away Root CA - T3", "Test Certification Authority"),
            intermediateName: name(
                "Throw-away Worldwide Developer Relations Test Certification", "T6"),
            leafName: name(
                "Test ECC App Store and Store Receipt Signing, throw-away",
                "Throw-away Worldwide Developer Relations"),
            intermediateLinks: [
                .authorityInformation(
                    issuers: nil, ocsp: "http://ocsp.example.invalid/ocsp03-throwawayroott3"),
                .revocationList("http://crl.example.invalid/throwawayroott3.crl"),
            ],
            leafLinks: [
                .authorityInformation(
                    issuers: "http://certs.example.invalid/throwaway.der",
                    ocsp: "http://ocsp.example.invalid/ocsp03-throwaway02"),
                .policies(
                    "2.25.1", address: "http://www.example.invalid/authority/", notice: notice),
            ]
        ) { () throws(SigningError) in try PrivateKey(generating: .p384) }
    }

    /// The certificates that sign receipts.
    static var receipts: AuthorityCertificates {
        AuthorityCertificates(
            rootName: name("Throw-away Receipt Root CA", "Test Certification Authority"),
            intermediateName: name(
                "Throw-away Worldwide Developer Relations Receipt Certification", "T5"),
            leafName: name(
                "Test Mac App Store and iTunes Store Receipt Signing, throw-away",
                "Throw-away Worldwide Developer Relations"),
            intermediateLinks: [
                .revocationList("http://crl.example.invalid/throwawayreceiptroot.crl")
            ], leafLinks: [.revocationList("http://crl.example.invalid/throwawayreceipts.crl")]
        ) { () throws(SigningError) in try RSAPrivateKey() }
    }

    private static func name(_ common: String, _ unit: String) -> DistinguishedName {
        DistinguishedName(
            commonName: common, organizationalUnit: unit, organization: "Subledger", country: "ZZ")
    }

    private static let notice = """
        This certificate was created for a test and discarded after use. Its signatures are not \
        trustworthy; a verifier accepts them only if it was configured to trust this test root.
        """

    func root(_ shape: AuthorityShape, key: any MintingKey) throws(SigningError) -> [UInt8] {
        let builder = CertificateBuilder(
            subject: rootName, issuer: rootName, validity: shape.rootValidity,
            key: key, digest: shape.digest,
            extensions: [
                .subjectKeyIdentifier(key.identifier),
                .basicConstraints(isCA: true, pathLength: shape.violatesPathLength ? 0 : nil),
                .certificateSigning,
            ])
        return try builder.sign(by: key)
    }

    func intermediate(
        _ shape: AuthorityShape, key: any MintingKey, rootKey: any MintingKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: shape.isIntermediateCA, pathLength: shape.isIntermediateCA ? 0 : nil)
        ]
        if shape.hasIssuerKeyIdentifier {
            extensions.append(.authorityKeyIdentifier(rootKey.identifier))
        }
        extensions += intermediateLinks
        extensions += [
            .subjectKeyIdentifier(key.identifier),
            shape.mayIntermediateSign ? .certificateSigning : .digitalSignature,
        ]
        if shape.hasIntermediateMarker {
            extensions.append(.marker(CertificateChainPolicy.intermediateMarker))
        }
        let builder = CertificateBuilder(
            subject: intermediateName, issuer: rootName, validity: shape.intermediateValidity,
            key: key, digest: shape.digest, extensions: extensions)
        return try builder.sign(by: shape.isIntermediateForged ? try makesKey() : rootKey)
    }

    func leaf(
        _ shape: AuthorityShape, key: any MintingKey, intermediateKey: any MintingKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: shape.isLeafCA || shape.isLeafCAForData),
            .authorityKeyIdentifier(intermediateKey.identifier),
        ]
        extensions += leafLinks
        extensions += [.subjectKeyIdentifier(key.identifier), leafUsage(shape)]
        if shape.hasLeafMarker { extensions.append(.marker(CertificateChainPolicy.leafMarker)) }
        if shape.hasUnknownCriticalExtension {
            extensions.append(.marker("2.25.2", isCritical: true))
        }
        var issuer = intermediateName
        if shape.isLeafMisnamed { issuer.commonName = "Another issuer" }
        let builder = CertificateBuilder(
            subject: leafName, issuer: issuer, validity: shape.leafValidity, key: key,
            digest: shape.digest, extensions: extensions)
        return try builder.sign(by: shape.isLeafForged ? try makesKey() : intermediateKey)
    }

    private func leafUsage(_ shape: AuthorityShape) -> CertificateExtension {
        guard shape.mayLeafSign else { return .keyAgreement }
        return shape.isLeafCA ? .certificateSigning : .digitalSignature
    }

    /// An OCSP responder's certificate, genuine or not.
    package func responder(
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
            key: key, digest: shape.digest, extensions: extensions)
        return try builder.sign(by: issuerKey)
    }

    /// A self-signed certificate, like Xcode's.
    static func alone(key: RSAPrivateKey) throws(SigningError) -> [UInt8] {
        let name = DistinguishedName(commonName: "StoreKit, throw-away")
        let shape = AuthorityShape.receipts
        let builder = CertificateBuilder(
            subject: name, issuer: name, validity: shape.rootValidity, key: key,
            digest: shape.digest, extensions: [])
        return try builder.sign(by: key)
    }
}
