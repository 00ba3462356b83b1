internal import AppStore

/// Verified certificate chains, so that the next JWS under one costs only its own signature.
///
/// Keyed twice: by the exact header segment, which needs no base64, JSON or DER parsing, and by
/// leaf, intermediate and root for headers that differ only in spelling. Only verified entries are
/// added, after a signature under them held.
final class CertificateChainCache: Sendable {
    struct KnownHeader: Sendable {
        let chain: VerifiedCertificateChain
        /// Hash state after the header: the signed bytes begin with the header, which is most of a
        /// short JWS.
        let begun: SHA256Hasher
    }

    private let headers = RecentlyUsed<[UInt8], KnownHeader>()
    private let chains = RecentlyUsed<Digest, VerifiedCertificateChain>()

    init() {}

    /// The chain of an earlier header with exactly these bytes, and its hash state.
    func known(header: UnsafeBufferPointer<UInt8>) -> KnownHeader? {
        // Headers of equal length differ early, in the leaf's serial number.
        headers.value { key in
            key.withUnsafeBufferPointer { $0.isEqual(to: header) }
        }
    }

    func chain(key: Digest) -> VerifiedCertificateChain? { chains.value(key) }

    /// Call only after a signature under this header was verified.
    func insert(_ chain: VerifiedCertificateChain, header: UnsafeBufferPointer<UInt8>) {
        var begun = SHA256Hasher()
        begun.update(header)
        headers.insert(KnownHeader(chain: chain, begun: begun), key: Array(header))
    }

    /// Call only after a signature under the chain was verified.
    func insert(_ chain: VerifiedCertificateChain, key: Digest) { chains.insert(chain, key: key) }

    var headerCount: Int { headers.count }
    var chainCount: Int { chains.count }
}
