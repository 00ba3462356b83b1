internal import Signing

/// A disposable certificate authority shaped like that of app receipts: RSA-2048 throughout, a
/// root, an intermediate and a signer with Apple's marker extensions (`Receipts.md`). Its
/// signatures verify only where its root is trusted. Keys are generated each time and never leave
/// the process.
public final class ReceiptAuthority: Sendable {
    /// The root as DER, for `TrustedRoots.adding`.
    public let rootDER: [UInt8]
    /// The intermediate as DER, signed by the root.
    public let intermediateDER: [UInt8]
    /// The signer's certificate as DER.
    public let signerDER: [UInt8]
    let rootKey: RSAPrivateKey
    let intermediateKey: RSAPrivateKey
    let signerKey: RSAPrivateKey

    /// Generates keys and certificates of the given shape.
    ///
    /// Throws only when OpenSSL fails, for lack of memory or randomness.
    public convenience init(shape: AuthorityShape = .receipts) throws {
        try self.init(
            shape: shape, rootKey: RSAPrivateKey(), intermediateKey: RSAPrivateKey(),
            signerKey: RSAPrivateKey(generatingBitCount: shape.leafBitCount))
    }

    init(
        shape: AuthorityShape, rootKey: RSAPrivateKey, intermediateKey: RSAPrivateKey,
        signerKey: RSAPrivateKey
    ) throws {
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        self.signerKey = signerKey
        rootDER = try AuthorityCertificates.receipts.root(shape, key: rootKey)
        intermediateDER = try AuthorityCertificates.receipts.intermediate(
            shape, key: intermediateKey, rootKey: rootKey)
        signerDER = try AuthorityCertificates.receipts.leaf(
            shape, key: signerKey, intermediateKey: intermediateKey)
    }

    /// A receipt of these contents, binary.
    public func sign(
        _ contents: ReceiptContents, writing: ReceiptEncoding = ReceiptEncoding()
    ) throws -> [UInt8] {
        try sign(payload: contents.payload, writing: writing)
    }

    /// A receipt around an arbitrary payload.
    public func sign(
        payload: [UInt8], writing: ReceiptEncoding = ReceiptEncoding()
    ) throws -> [UInt8] {
        try writing.sign(
            payload, signer: signerDER,
            certificates: writing.certificates ?? [signerDER, intermediateDER, rootDER],
            key: signerKey)
    }

    /// A receipt as Xcode creates it: under one untrusted certificate of its own.
    public static func signAsXcode(payload: [UInt8]) throws -> [UInt8] {
        let key = try RSAPrivateKey()
        let certificate = try AuthorityCertificates.alone(key: key)
        return try ReceiptEncoding().sign(
            payload, signer: certificate, certificates: [certificate], key: key)
    }
}
