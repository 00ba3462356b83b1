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
    ) throws(SigningError) -> [UInt8] {
        let builder = CertificateBuilder(
            subject: rootName, issuer: rootName, validity: shape.rootValidity, key: key,
            digest: digest(shape),
            extensions: [
                .subjectKeyIdentifier(key.identifier), .basicConstraints(isCA: true),
                .authorityKeyIdentifier(key.identifier), .certificateSigning,
            ])
        return try builder.sign(by: key)
    }

    static func intermediate(
        _ shape: ReceiptAuthorityShape, key: RSAPrivateKey, rootKey: RSAPrivateKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(
                isCA: shape.isIntermediateCA, pathLength: shape.isIntermediateCA ? 0 : nil),
            .authorityKeyIdentifier(rootKey.identifier),
            .revocationList("http://crl.example.invalid/throwawayreceiptroot.crl"),
            .subjectKeyIdentifier(key.identifier),
            shape.isIntermediateCA ? .certificateSigning : .digitalSignature,
        ]
        if shape.hasIntermediateMarker {
            extensions.append(.marker(CertificateChainPolicy.intermediateMarker))
        }
        let builder = CertificateBuilder(
            subject: intermediateName, issuer: rootName, validity: shape.intermediateValidity,
            key: key, digest: digest(shape),
            extensions: extensions)
        let signer = shape.isIntermediateForged ? try RSAPrivateKey() : rootKey
        return try builder.sign(by: signer)
    }

    static func signer(
        _ shape: ReceiptAuthorityShape, key: RSAPrivateKey, intermediateKey: RSAPrivateKey
    ) throws(SigningError) -> [UInt8] {
        var extensions: [CertificateExtension] = [
            .basicConstraints(isCA: shape.isSignerCA),
            .authorityKeyIdentifier(intermediateKey.identifier),
            .revocationList("http://crl.example.invalid/throwawayreceipts.crl"),
            .subjectKeyIdentifier(key.identifier),
            shape.maySignerSign ? .digitalSignature : .keyAgreement,
        ]
        if shape.hasSignerMarker { extensions.append(.marker(CertificateChainPolicy.leafMarker)) }
        var issuer = intermediateName
        if shape.isSignerMisnamed { issuer.commonName = "Somebody else" }
        let builder = CertificateBuilder(
            subject: signerName, issuer: issuer, validity: shape.signerValidity, key: key,
            digest: digest(shape),
            extensions: extensions)
        let issuerKey = shape.isSignerForged ? try RSAPrivateKey() : intermediateKey
        return try builder.sign(by: issuerKey)
    }

    /// A self-signed certificate, like Xcode's.
    static func alone(key: RSAPrivateKey) throws(SigningError) -> [UInt8] {
        let name = DistinguishedName(commonName: "StoreKit, throw-away")
        let shape = ReceiptAuthorityShape()
        let builder = CertificateBuilder(
            subject: name, issuer: name, validity: shape.rootValidity, key: key,
            digest: digest(shape),
            extensions: [])
        return try builder.sign(by: key)
    }

    private static func digest(_ shape: ReceiptAuthorityShape) -> String {
        shape.usesMD5 ? "MD5" : shape.usesSHA1 ? "SHA1" : "SHA256"
    }
}
