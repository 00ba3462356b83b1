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

    let headers = RecentlyUsed<[UInt8], KnownHeader>()
    let chains = RecentlyUsed<Digest, VerifiedCertificateChain>()

    /// The chain of an earlier header with exactly these bytes, and its hash state.
    func known(header: UnsafeBufferPointer<UInt8>) -> KnownHeader? {
        // Headers of equal length differ early, in the leaf's serial number.
        headers.value { key in
            key.withUnsafeBufferPointer { $0.isEqual(to: header) }
        }
    }

    /// Call only after a signature under this header was verified.
    func insert(_ chain: VerifiedCertificateChain, header: UnsafeBufferPointer<UInt8>) {
        var begun = SHA256Hasher()
        begun.update(header)
        headers.insert(KnownHeader(chain: chain, begun: begun), key: Array(header))
    }
}
