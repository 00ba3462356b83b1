public import AppStore
internal import COpenSSL

/// The roots in which a chain may end, identified by the SHA-256 of their DER. Presented roots are
/// compared with these; the system trust store is never used.
public struct TrustedRoots: Sendable, Hashable {
    /// Fingerprint of Apple Root CA - G3 (apple.com/certificateauthority; `Verification.md`).
    public static let appleRootG3 = Digest(
        words: (
            0x6334_3ABF_B89A_6A03, 0xEBB5_7E9B_3F5F_A7BE, 0x7C4F_5C75_6F30_17B3,
            0xA8C4_88C3_653E_9179
        ))

    /// Fingerprint of Apple Inc. Root, the RSA authority above the certificates that sign app
    /// receipts (apple.com/certificateauthority; `Verification.md`).
    public static let appleIncRoot = Digest(
        words: (
            0xB0B1_730E_CBC7_FF45, 0x0514_2C49_F129_5E6E, 0xDA6B_CAED_7E2C_68C5,
            0xBE91_B5A1_1001_F024
        ))

    /// Largest PEM file read, enough for whole bundles.
    public static let maximumByteCount = 1 << 20

    /// Apple's root only.
    public static let apple = TrustedRoots(fingerprints: [appleRootG3])

    /// SHA-256 of each trusted root's DER.
    public let fingerprints: Set<Digest>

    private init(fingerprints: Set<Digest>) { self.fingerprints = fingerprints }

    /// Adds the roots in `bytes`: a single certificate as DER, or one or more as PEM.
    ///
    /// Events under such a root carry its fingerprint, so that answers can state that Apple's root
    /// does not vouch for them. Throws if the bytes are not self-issued X.509 v3 authorities.
    public func adding(_ bytes: [UInt8]) throws(TrustedRootError) -> TrustedRoots {
        let isPEM = bytes.starts(with: Array("-----".utf8)) || bytes.first != 0x30
        let certificates = isPEM ? try TrustedRoots.certificates(pem: bytes) : [bytes]
        var all = fingerprints
        for der in certificates {
            try TrustedRoots.checkRoot(der)
            all.insert(SHA256.hash(der))
        }
        return TrustedRoots(fingerprints: all)
    }

    /// Whether a presented root of this fingerprint is trusted.
    public func contains(_ fingerprint: Digest) -> Bool { fingerprints.contains(fingerprint) }

    /// Whether it is one of Apple's roots rather than one added by the operator.
    public static func isApple(_ fingerprint: Digest) -> Bool {
        fingerprint == appleRootG3 || fingerprint == appleIncRoot
    }

    /// The roots for app receipts: the operator's own, and Apple Inc. Root, which signs only
    /// receipts, instead of Apple Root CA - G3, which signs only JWS.
    public var forReceipts: TrustedRoots {
        TrustedRoots(
            fingerprints: fingerprints.subtracting([TrustedRoots.appleRootG3])
                .union([TrustedRoots.appleIncRoot]))
    }

    private static func checkRoot(_ der: [UInt8]) throws(TrustedRootError) {
        guard der.count <= CertificateChainPolicy.maximumCertificateByteCount else {
            throw TrustedRootError(.tooLarge)
        }
        try ErrorQueue.contained { () throws(TrustedRootError) in
            guard let certificate = Certificate(der: der) else {
                throw TrustedRootError(.notACertificate)
            }
            guard certificate.isSelfIssued, certificate.isVersion3, certificate.isCA,
                !certificate.hasUnusableExtension
            else { throw TrustedRootError(.notARoot) }
        }
    }

    private static func certificates(pem: [UInt8]) throws(TrustedRootError) -> [[UInt8]] {
        guard pem.count <= maximumByteCount else { throw TrustedRootError(.tooLarge) }
        let found: [[UInt8]] = pem.withUnsafeBytes { text in
            ErrorQueue.contained { certificates(text) }
        }
        guard !found.isEmpty else { throw TrustedRootError(.notACertificate) }
        return found
    }

    private static func certificates(_ text: UnsafeRawBufferPointer) -> [[UInt8]] {
        guard let memory = BIO_new_mem_buf(text.baseAddress, Int32(text.count)) else { return [] }
        defer { BIO_free(memory) }
        var all: [[UInt8]] = []
        while let handle = PEM_read_bio_X509(memory, nil, nil, nil) {
            let certificate = Certificate(takingOwnershipOf: handle)
            all.append(certificate.der)
        }
        return all
    }
}
