package import Signing

/// A disposable certificate authority shaped like Apple's: a P-384 root, a P-384 intermediate and a
/// P-256 leaf with Apple's marker extensions, signed with SHA-384, of similar sizes
/// (`Verification.md`). Its signatures verify only where its root is trusted. Keys are generated
/// each time and never leave the process, unless `save` writes them.
public final class Authority: Sendable {
    /// The root as DER, for `TrustedRoots.adding`.
    public let rootDER: [UInt8]
    /// The intermediate as DER, signed by the root.
    public let intermediateDER: [UInt8]
    /// The leaf as DER, whose key signs payloads.
    public let leafDER: [UInt8]
    public let shape: AuthorityShape
    package let rootKey: PrivateKey
    package let intermediateKey: PrivateKey
    package let leafKey: PrivateKey
    /// The header segment of every token of this leaf.
    let headerSegment: [UInt8]

    /// Generates keys and certificates of the given shape.
    ///
    /// Throws only when OpenSSL fails, for lack of memory or randomness.
    public convenience init(shape: AuthorityShape = AuthorityShape()) throws {
        let rootKey = try PrivateKey(generating: .p384)
        let intermediateKey = try PrivateKey(generating: .p384)
        let root = try AuthorityCertificates.jws.root(shape, key: rootKey)
        let intermediate = try AuthorityCertificates.jws.intermediate(
            shape, key: intermediateKey, rootKey: rootKey)
        try self.init(
            shape: shape, rootKey: rootKey, rootDER: root, intermediateKey: intermediateKey,
            intermediateDER: intermediate)
    }

    /// Generates a leaf under an existing intermediate.
    package convenience init(
        shape: AuthorityShape, rootKey: PrivateKey, rootDER: [UInt8],
        intermediateKey: PrivateKey, intermediateDER: [UInt8]
    ) throws {
        let leafKey = try PrivateKey(generating: shape.isLeafOnWrongCurve ? .p384 : .p256)
        let leafDER = try AuthorityCertificates.jws.leaf(
            shape, key: leafKey, intermediateKey: intermediateKey)
        self.init(
            shape: shape, rootKey: rootKey, rootDER: rootDER, intermediateKey: intermediateKey,
            intermediateDER: intermediateDER, leafKey: leafKey, leafDER: leafDER)
    }

    /// Uses three existing certificates and their keys.
    init(
        shape: AuthorityShape, rootKey: PrivateKey, rootDER: [UInt8],
        intermediateKey: PrivateKey, intermediateDER: [UInt8], leafKey: PrivateKey,
        leafDER: [UInt8]
    ) {
        self.shape = shape
        self.rootKey = rootKey
        self.rootDER = rootDER
        self.intermediateKey = intermediateKey
        self.intermediateDER = intermediateDER
        self.leafKey = leafKey
        self.leafDER = leafDER
        headerSegment = Base64.url.encode(
            Authority.header(
                algorithm: "ES256",
                certificates: shape.presentation.arrange(
                    leaf: leafDER, intermediate: intermediateDER, root: rootDER)))
    }

    /// The payload as a compact JWS under this leaf. Needs a leaf on P-256.
    public func sign(_ payload: [UInt8]) throws -> [UInt8] {
        try CompactJWS.sign(headerSegment: headerSegment, payload: payload, key: leafKey)
    }

    /// A header as Apple sends it: `alg`, then `x5c`, nothing else.
    public static func header(algorithm: String, certificates: [[UInt8]]) -> [UInt8] {
        let texts = certificates.map { der in
            "\"" + String(decoding: Base64.standard.encode(der), as: UTF8.self) + "\""
        }
        let list = texts.joined(separator: ",")
        return Array("{\"alg\":\"\(algorithm)\",\"x5c\":[\(list)]}".utf8)
    }
}
