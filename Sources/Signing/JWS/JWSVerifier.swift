internal import AppStore

/// Verifies one JWS, in this order: form, chain to a pinned root, Apple's markers, signature. Each
/// step runs only after the previous one, so that no unverified JSON but the header is decoded.
///
/// Stricter than Apple's libraries, which read the date for the certificates' validity from the
/// payload before its signature is verified (`Verification.md`): here the caller reads it from the
/// verified payload and passes it to `VerifiedJWS.requireValid(at:)`.
///
/// Safe to share between tasks. The cache of verified chains belongs to the instance and its
/// copies, so that a root not in `roots` is never accepted from another instance's cache.
public struct JWSVerifier: Sendable {
    /// The roots a chain may end in.
    public let roots: TrustedRoots
    /// Whether a single certificate instead of a chain is accepted, as of Xcode and local tests.
    let acceptsLocal: Bool
    private let cache = CertificateChainCache()
    /// Budget for chains that are not in the cache; nil is unlimited.
    var budget: CertificateChainBudget?

    /// A verifier with an empty cache that accepts full chains only.
    public init(roots: TrustedRoots = .apple) {
        self.init(roots: roots, acceptsLocal: false)
    }

    init(roots: TrustedRoots, acceptsLocal: Bool, budget: CertificateChainBudget? = nil) {
        self.roots = roots
        self.acceptsLocal = acceptsLocal
        self.budget = budget
    }

    /// Verifies a compact JWS; `part` is only used in errors.
    ///
    /// Throws `payloadTooLarge`, `malformedJWS`, `unsupportedAlgorithm`, `invalidChainLength`,
    /// `untrustedRoot`, `invalidCertificate`, `missingAppleMarker` or `signatureMismatch`;
    /// `tooManyUnknownChains` if unknown chains have a budget.
    public func verify(
        _ jws: [UInt8], part: EvidencePart = .outer
    ) throws(VerificationError) -> VerifiedJWS {
        try jws.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verify(JWSSegments(buffer, part: part))
        }
    }

    private func verify(_ segments: JWSSegments) throws(VerificationError) -> VerifiedJWS {
        guard let known = cache.known(header: segments.header) else {
            return try verifyUnknown(segments)
        }
        let payload = try segments.decoded(segments.payload, "payload")
        let signature = try segments.decoded(segments.signature, "signature")
        return try verified(
            payload, signature, by: known.chain.leafKey, under: known.chain, segments,
            begun: known.begun)
    }

    /// Numbers of cached headers and chains: each at most `RecentlyUsed.capacity`.
    var cachedCounts: (headers: Int, chains: Int) { (cache.headers.count, cache.chains.count) }

    private func verifyUnknown(
        _ segments: JWSSegments
    ) throws(VerificationError) -> VerifiedJWS {
        let part = segments.part
        // All three segments must be well-formed before any certificate is parsed.
        let payload = try segments.decoded(segments.payload, "payload")
        let signature = try segments.decoded(segments.signature, "signature")
        let header = try JWSHeader(segments)
        let certificates = header.certificates ?? []
        if certificates.count == 1, acceptsLocal {
            let key = try localKey(certificates[0], part: part)
            return try verified(payload, signature, by: key, under: nil, segments)
        }
        guard certificates.count == CertificateChainPolicy.certificateCount else {
            throw VerificationError(
                .invalidChainLength, part: part,
                reason: "The header must contain the leaf, intermediate and root certificates.")
        }
        let (chain, key) = try chain(of: certificates, part: part)
        let verified = try verified(
            payload, signature, by: chain.leafKey, under: chain, segments)
        cache.chains.insert(chain, key: key)
        cache.insert(chain, header: segments.header)
        return verified
    }

    /// The chain of three certificates, from the cache or verified now. The root is compared with
    /// the pinned ones before anything is parsed, so a foreign chain costs one digest.
    private func chain(
        of certificates: [String], part: EvidencePart
    ) throws(VerificationError) -> (chain: VerifiedCertificateChain, key: Digest) {
        let root = try JWSHeader.certificate(certificates[2], part: part)
        let fingerprint = SHA256.hash(root)
        guard roots.contains(fingerprint) else {
            throw VerificationError(
                .untrustedRoot, part: part,
                reason: "The chain does not end in a trusted root. Add a simulator's root to"
                    + " trustedRoots.")
        }
        let presented = PresentedCertificateChain(
            leaf: try JWSHeader.certificate(certificates[0], part: part),
            intermediate: try JWSHeader.certificate(certificates[1], part: part),
            root: root, rootFingerprint: fingerprint)
        let key = presented.key
        if let known = cache.chains.value(key) { return (known, key) }
        return (try CertificateChainPolicy.verify(presented, part: part, budget: budget), key)
    }

    /// The key of Xcode's own certificate, which proves nothing: the caller checks that the payload
    /// names a local environment.
    private func localKey(
        _ certificate: String, part: EvidencePart
    ) throws(VerificationError) -> VerificationKey {
        let der = try JWSHeader.certificate(certificate, part: part)
        let key: VerificationKey? = ErrorQueue.contained {
            guard let certificate = Certificate(der: der) else { return nil }
            return certificate.verificationKey
        }
        guard let key else {
            throw VerificationError(
                .invalidCertificate, part: part,
                reason: "The certificate is invalid or its key is not on the named curve P-256.")
        }
        return key
    }

    /// The JWS, after its signature by the key was checked. Its digest is the SHA-256 of all three
    /// segments, which begin with the signed bytes. `begun` is the hash state after the header, if
    /// cached.
    private func verified(
        _ payload: [UInt8], _ signature: [UInt8], by key: VerificationKey,
        under chain: VerifiedCertificateChain?, _ segments: JWSSegments,
        begun: SHA256Hasher? = nil
    ) throws(VerificationError) -> VerifiedJWS {
        let input = segments.signingInput
        var hasher = begun ?? SHA256Hasher()
        let seenCount = begun == nil ? 0 : segments.header.count
        hasher.update(UnsafeBufferPointer(rebasing: input[seenCount...]))
        let digest = hasher.finish()
        guard key.isValid(signature, over: digest) else {
            throw VerificationError(
                .signatureMismatch, part: segments.part,
                reason: "The leaf certificate's key did not make this signature.")
        }
        hasher.update(segments.rest)
        return VerifiedJWS(
            signed: SignedBytes(payload: payload, digest: hasher.finish()), chain: chain,
            part: segments.part)
    }
}
