internal import AppStore
internal import COpenSSL
internal import Synchronization

/// A P-256 public key for verifying ES256 (RFC 7518 §3.4).
///
/// Unchecked Sendable because nothing in it changes after `init`: an EVP_PKEY is immutable once
/// loaded, and the prepared context is only a source of EVP_PKEY_CTX_dup, which reads it and counts
/// references atomically. Every verification uses its own duplicate, so there is no lock
/// (EVP_PKEY_CTX_dup(3), EVP_PKEY_up_ref(3)).
///
/// Measured with OpenSSL 3.0 on one busy core, per signature: ECDSA_do_verify on a shared EC_KEY
/// 77 µs, EVP_PKEY_verify with a context made afresh 85, with one context kept 76, with a
/// duplicate 74. A key that is used often gets a `PreparedPoint`, which halves that.
final class VerificationKey: @unchecked Sendable {
    private let key: OpaquePointer
    private let prepared: OpaquePointer
    private let publicKeyInfo: [UInt8]
    private let usage = Mutex(Usage.few(0))

    /// Verifications after which a key is prepared: making the table costs as much as several
    /// hundred, so that a stranger's chain of a few notifications does not pay for one.
    static let preparedAfterCount = 512

    private enum Usage {
        /// Verifications so far.
        case few(Int)
        /// Somebody is making the table, or there is none.
        case unprepared
        case prepared(PreparedPoint)
    }

    /// SubjectPublicKeyInfo of every uncompressed key on the named curve P-256, up to the point's
    /// coordinates (RFC 5480 §2). Explicit curve parameters, other curves and compressed points
    /// begin otherwise and are refused.
    private static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    private static let infoByteCount = 91

    /// Nil unless `publicKeyInfo` is a point on P-256 in the form of `prefix`.
    init?(publicKeyInfo: [UInt8]) {
        guard publicKeyInfo.count == VerificationKey.infoByteCount,
            publicKeyInfo.starts(with: VerificationKey.prefix),
            let loaded = VerificationKey.load(publicKeyInfo)
        else { return nil }
        guard let context = EVP_PKEY_CTX_new(loaded, nil) else {
            EVP_PKEY_free(loaded)
            return nil
        }
        guard EVP_PKEY_verify_init(context) == 1 else {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(loaded)
            return nil
        }
        key = loaded
        prepared = context
        self.publicKeyInfo = publicKeyInfo
    }

    deinit {
        EVP_PKEY_CTX_free(prepared)
        EVP_PKEY_free(key)
    }

    /// Decoding checks that the point is on the curve.
    private static func load(_ info: [UInt8]) -> OpaquePointer? {
        info.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_PUBKEY(nil, &next, buffer.count)
        }
    }

    /// Whether `signature` (r and s, 32 bytes each) was made by this key over `digest`. OpenSSL
    /// rejects r and s outside 1…n−1.
    func isValid(
        _ signature: [UInt8], over digest: Digest, inverses: SignatureInverses? = nil
    ) -> Bool {
        guard let encoded = ES256Signature(raw: signature) else { return false }
        return isValid(encoded, over: digest, inverses: inverses)
    }

    /// As above, for a parsed signature.
    ///
    /// - Parameter inverses: what `inverses(of:)` of this or another key has answered.
    func isValid(
        _ signature: ES256Signature, over digest: Digest, inverses: SignatureInverses? = nil
    ) -> Bool {
        if let point = preparedPoint(),
            point.isValid(signature, over: digest, inverses: inverses)
        {
            return true
        }
        return isValidPlainly(signature, over: digest)
    }

    /// What makes several signatures cheaper to verify than each by itself, under whatever keys of
    /// this curve. Nil while the key is not prepared: EVP_PKEY_verify inverts by itself.
    func inverses(of signatures: () -> [[UInt8]]) -> SignatureInverses? {
        table?.inverses(of: signatures())
    }

    /// Counts a verification; nil while the key is not prepared.
    private func preparedPoint() -> PreparedPoint? {
        let (point, isDue) = usage.withLock { usage -> (PreparedPoint?, Bool) in
            switch usage {
            case .prepared(let point): return (point, false)
            case .unprepared: return (nil, false)
            case .few(let count):
                let isDue = count + 1 >= VerificationKey.preparedAfterCount
                usage = isDue ? .unprepared : .few(count + 1)
                return (nil, isDue)
            }
        }
        if isDue, let made = PreparedPoint(publicKeyInfo: publicKeyInfo) {
            usage.withLock { $0 = .prepared(made) }
        }
        return point
    }

    /// Whether the key has been prepared.
    var isPrepared: Bool { table != nil }

    private var table: PreparedPoint? {
        usage.withLock { usage -> PreparedPoint? in
            if case .prepared(let point) = usage { point } else { nil }
        }
    }

    /// Uses only EVP_PKEY_verify.
    func isValidPlainly(_ signature: ES256Signature, over digest: Digest) -> Bool {
        ErrorQueue.contained {
            guard let context = EVP_PKEY_CTX_dup(prepared) else { return false }
            defer { EVP_PKEY_CTX_free(context) }
            let words = digest.words
            let message = (
                words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
            )
            return withUnsafeBytes(of: message) { message in
                signature.withDER { der in
                    EVP_PKEY_verify(
                        context, der.baseAddress, der.count,
                        message.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        message.count) == 1
                }
            }
        }
    }
}
