internal import AppStore

/// Verifies one JWS: form, chain to a pinned root, Apple's markers, signature. In this order, each
/// step only after the one before, so that nothing unverified is decoded as JSON but the header.
///
/// Stricter than Apple's libraries, which read the date for the certificates' validity from the
/// payload before its signature is checked (`appstore.md` §1): here the caller reads it from the
/// verified payload and then asks `VerifiedJWS.requireValid(at:)`.
///
/// Shared freely between tasks; verified chains are cached and belong to this instance, so a root
/// that is not in `roots` can never be served from another's cache.
public final class JWSVerifier: Sendable {
    /// The roots a chain may end in.
    public let roots: TrustedRoots
    /// Whether one self-signed certificate in place of a chain is looked at at all.
    let acceptsLocal: Bool
    private let cache: ChainCache
    /// What chains that are not in the cache may cost; nil: whatever they cost.
    private let budget: ChainBudget?

    /// A verifier with an empty cache. Looks at full chains only.
    public convenience init(roots: TrustedRoots = .apple) {
        self.init(roots: roots, acceptsLocal: false)
    }

    init(roots: TrustedRoots, acceptsLocal: Bool, budget: ChainBudget? = nil) {
        self.roots = roots
        self.acceptsLocal = acceptsLocal
        self.budget = budget
        cache = ChainCache()
    }

    /// As another one, with a budget of its own: what either has verified is known to both.
    init(_ other: JWSVerifier, budget: ChainBudget?) {
        roots = other.roots
        acceptsLocal = other.acceptsLocal
        cache = other.cache
        self.budget = budget
    }

    /// Verifies a compact JWS; `part` is only for naming it in errors.
    ///
    /// Throws `payloadTooLarge`, `malformedJWS`, `unsupportedAlgorithm`, `invalidChainLength`,
    /// `untrustedRoot`, `invalidCertificate`, `missingAppleMarker` or `signatureMismatch`;
    /// `tooManyUnknownChains` where unknown chains have a budget.
    public func verify(
        _ jws: UnsafeBufferPointer<UInt8>, part: EvidencePart = .outer
    ) throws(VerificationError) -> VerifiedJWS {
        try verify(jws, part: part, inverses: nil)
    }

    /// As above; `inverses` are those of what the JWS is nested in.
    func verify(
        _ jws: UnsafeBufferPointer<UInt8>, part: EvidencePart, inverses: SignatureInverses?
    ) throws(VerificationError) -> VerifiedJWS {
        let segments = try JWSSegments(jws, part: part)
        guard let known = cache.known(header: segments.header) else {
            return try verifyUnknown(segments)
        }
        let payload = try segments.decodePayload()
        let signature = try segments.decodeSignature()
        let key = known.chain.leafKey
        let inverses =
            inverses
            ?? key.inverses {
                [signature] + payload.withUnsafeBufferPointer { SignatureSearch.signatures(in: $0) }
            }
        let digest = try requireSignature(
            signature, of: key, on: segments, begun: known.begun, inverses: inverses)
        return VerifiedJWS(
            signed: SignedBytes(payload: payload, digest: digest),
            origin: .chain(known.chain), part: part, inverses: inverses)
    }

    /// Verifies a compact JWS; see the form for a buffer.
    public func verify(
        _ jws: [UInt8], part: EvidencePart = .outer
    ) throws(VerificationError) -> VerifiedJWS {
        try jws.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try verify(buffer, part: part)
        }
    }

    /// Numbers of cached headers and chains: each at most `ChainCache.capacity`.
    var cachedCounts: (headers: Int, chains: Int) { (cache.headerCount, cache.chainCount) }

    private func verifyUnknown(
        _ segments: JWSSegments
    ) throws(VerificationError) -> VerifiedJWS {
        let part = segments.part
        // The form of all three segments comes before any certificate is looked at.
        let payload = try segments.decodePayload()
        let signature = try segments.decodeSignature()
        let header = try JWSHeader(segment: segments.header, part: part)
        let certificates = header.certificates ?? []
        if certificates.count == 1, acceptsLocal {
            let key = try localKey(certificates[0], part: part)
            let digest = try requireSignature(signature, of: key, on: segments)
            return VerifiedJWS(
                signed: SignedBytes(payload: payload, digest: digest), origin: .local, part: part)
        }
        guard certificates.count == ChainPolicy.certificateCount else {
            throw VerificationError(
                .invalidChainLength, part: part,
                reason: "The header must hold leaf, intermediate and root certificate.")
        }
        let (chain, key) = try chain(of: certificates, part: part)
        let digest = try requireSignature(signature, of: chain.leafKey, on: segments)
        cache.insert(chain, key: key)
        cache.insert(chain, header: segments.header)
        return VerifiedJWS(
            signed: SignedBytes(payload: payload, digest: digest), origin: .chain(chain),
            part: part)
    }

    /// The chain of three certificates, verified now or before. The root is compared with the
    /// pinned ones before anything is parsed, so a foreign chain costs one digest.
    private func chain(
        of certificates: [String], part: EvidencePart
    ) throws(VerificationError) -> (chain: VerifiedChain, key: Digest) {
        let root = try JWSHeader.certificate(certificates[2], part: part)
        let fingerprint = SHA256.hash(root)
        guard roots.contains(fingerprint) else {
            throw VerificationError(
                .untrustedRoot, part: part,
                reason: "The chain does not end in a root that is trusted here. A simulator's root"
                    + " is given with --trust-root or trustedRoots.")
        }
        let presented = PresentedChain(
            leaf: try JWSHeader.certificate(certificates[0], part: part),
            intermediate: try JWSHeader.certificate(certificates[1], part: part),
            root: root, rootFingerprint: fingerprint)
        let key = presented.key
        if let known = cache.chain(key: key) { return (known, key) }
        return (try ChainPolicy.verify(presented, part: part, budget: budget), key)
    }

    /// The key of Xcode's own certificate. It vouches for nothing: that the payload then says it
    /// is of a local environment is checked by the caller.
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
                reason: "The certificate is broken or its key is not on the named curve P-256.")
        }
        return key
    }

    /// - Parameter begun: has seen the header, where that was seen before.
    /// - Returns: SHA-256 of all three segments, which begin with what was signed.
    private func requireSignature(
        _ signature: [UInt8], of key: VerificationKey, on segments: JWSSegments,
        begun: SHA256Hasher? = nil, inverses: SignatureInverses? = nil
    ) throws(VerificationError) -> Digest {
        let input = segments.signingInput
        var hasher = begun ?? SHA256Hasher()
        let seenCount = begun == nil ? 0 : segments.header.count
        hasher.update(UnsafeBufferPointer(rebasing: input[seenCount...]))
        let digest = hasher.finish()
        guard key.isValid(signature, over: digest, inverses: inverses) else {
            throw VerificationError(
                .signatureMismatch, part: segments.part,
                reason: "The signature is not the leaf certificate's over these bytes.")
        }
        hasher.update(segments.rest)
        return hasher.finish()
    }
}
