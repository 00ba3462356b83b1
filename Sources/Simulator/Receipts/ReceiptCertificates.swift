internal import AppStore
internal import Signing

/// The three certificates of a `ReceiptAuthority`, with Apple's extensions.
enum ReceiptCertificates {
    private static let rootName = DistinguishedName(
        commonName: "Throw-away Receipt Root CA",
        organizationalUnit: "Test Certification Authority", organization: "Subledger",
        country: "ZZ")
    private static let intermediateName = DistinguishedName(
        commonName: "Throw-away Worldwide Developer Relations Receipt Certification",
        organizationalUnit: "T5", organization: "Subledger", country: "ZZ")
    private static let signerName = DistinguishedName(
        commonName: "Test Mac App Store and iTunes Store Receipt Signing, throw-away",
        organizationalUnit: "Throw-away Worldwide Developer Relations",
        organization: "Subledger", country: "ZZ")

    static func root(
        _ shape: ReceiptAuthorityShape, key: RSAPrivateKey
    ) throws(MintingError) -> [UInt8] {
        let builder = builder(
            rootName, issuer: rootName, validity: shape.rootValidity, key: key, shape: shape,
            extensions: [
                .subjectKeyIdentifier(identifier(key)), .basicConstraints(isCA: true),
                .authorityKeyIdentifier(identifier(key)), .certificateSigning,
            ])
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: key)
    }

    static func intermediate(
        _ shape: ReceiptAuthorityShape, key: RSAPrivateKey, rootKey: RSAPrivateKey
    ) throws(MintingError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: shape.isIntermediateCA, pathLength: shape.isIntermediateCA ? 0 : nil),
            .authorityKeyIdentifier(identifier(rootKey)),
            .revocationList("http://crl.example.invalid/throwawayreceiptroot.crl"),
            .subjectKeyIdentifier(identifier(key)),
            shape.isIntermediateCA ? .certificateSigning : .digitalSignature,
        ]
        if shape.hasIntermediateMarker {
            extensions.append(.marker(ChainPolicy.intermediateMarker))
        }
        let builder = builder(
            intermediateName, issuer: rootName, validity: shape.intermediateValidity, key: key,
            shape: shape, extensions: extensions)
        let signer = shape.isIntermediateForged ? try RSAPrivateKey() : rootKey
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: signer)
    }

    static func signer(
        _ shape: ReceiptAuthorityShape, key: RSAPrivateKey, intermediateKey: RSAPrivateKey
    ) throws(MintingError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: shape.isSignerCA),
            .authorityKeyIdentifier(identifier(intermediateKey)),
            .revocationList("http://crl.example.invalid/throwawayreceipts.crl"),
            .subjectKeyIdentifier(identifier(key)),
            shape.maySignerSign ? .digitalSignature : .keyAgreement,
        ]
        if shape.hasSignerMarker { extensions.append(.marker(ChainPolicy.leafMarker)) }
        var issuer = intermediateName
        if shape.isSignerMisnamed { issuer.commonName = "Somebody else" }
        let builder = builder(
            signerName, issuer: issuer, validity: shape.signerValidity, key: key, shape: shape,
            extensions: extensions)
        let issuerKey = shape.isSignerForged ? try RSAPrivateKey() : intermediateKey
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: issuerKey)
    }

    /// A self-signed certificate, like Xcode's.
    static func alone(key: RSAPrivateKey) throws(MintingError) -> [UInt8] {
        let name = DistinguishedName(commonName: "StoreKit, throw-away")
        let shape = ReceiptAuthorityShape()
        let builder = builder(
            name, issuer: name, validity: shape.rootValidity, key: key, shape: shape,
            extensions: [])
        return try builder.sign(publicKeyInfo: key.publicKeyInfo, by: key)
    }

    private static func builder(
        _ subject: DistinguishedName, issuer: DistinguishedName,
        validity: ClosedRange<Timestamp>, key: RSAPrivateKey, shape: ReceiptAuthorityShape,
        extensions: [CertificateExtension]
    ) -> CertificateBuilder {
        let serial = identifier(key)
        var builder = CertificateBuilder(
            subject: subject, issuer: issuer,
            validity: ValidityWindow(from: validity.lowerBound, until: validity.upperBound),
            // The highest bit cleared: serial numbers are positive (RFC 5280 §4.1.2.2).
            serial: [serial[0] & 0x7F | 0x40] + serial.dropFirst().prefix(7),
            extensions: extensions)
        builder.digest = shape.usesMD5 ? "MD5" : shape.usesSHA1 ? "SHA1" : "SHA256"
        return builder
    }

    /// 20 bytes of the key's SHA-256 (RFC 7093 §2 method 1).
    private static func identifier(_ key: RSAPrivateKey) -> [UInt8] {
        Array(SHA256.hash(key.publicKeyInfo).bytes.prefix(20))
    }
}
