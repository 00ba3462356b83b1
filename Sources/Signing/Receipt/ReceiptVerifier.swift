public import AppStore

/// Verifies an app receipt, in this order: form, chain to a pinned root, Apple's markers,
/// signature, and that every certificate was valid when the receipt was made. Each step runs only
/// after the previous one, so that nothing unverified is decoded. Whether a verified receipt
/// concerns the configured app and environment is checked separately by `AppIdentity`.
///
/// Revocation is not checked: the responders for the signers of older receipts no longer exist, and
/// a receipt is verified as of the date it was made.
///
/// Safe to share between tasks; copies share the cache of verified chains.
public struct ReceiptVerifier: Sendable {
    /// The roots in which a chain may end: `TrustedRoots.forReceipts` of those given.
    public let roots: TrustedRoots
    /// Whether Xcode's receipts, which no trusted authority signs, are accepted.
    public let allowsXcode: Bool
    private let cache: RecentlyUsed<Digest, ReceiptCertificateChain>
    /// Budget for chains that are not in the cache; nil is unlimited.
    var budget: CertificateChainBudget?

    /// A verifier under the same roots and permissions as an `EvidenceVerifier`'s.
    ///
    /// `chainBudget` bounds the cost of unknown chains from untrusted clients; both may share one.
    public init(
        roots: TrustedRoots = .apple, allowedLocalEnvironments: Set<Environment> = [],
        chainBudget: CertificateChainBudget? = nil
    ) {
        self.roots = roots.forReceipts
        allowsXcode = allowedLocalEnvironments.contains(.xcode)
        budget = chainBudget
        cache = RecentlyUsed()
    }

    /// Verifies a receipt, binary or as text (`ReceiptForm`).
    ///
    /// `receivedAt` is the effective date only of a receipt without a date. Throws
    /// `payloadTooLarge`, `malformedReceipt`, `unsupportedAlgorithm`, `invalidChainLength`,
    /// `untrustedRoot`, `tooManyUnknownChains`, `invalidCertificate`, `missingAppleMarker`,
    /// `signatureMismatch`, `undecodablePayload`, `certificateNotValidAtSigning`, and
    /// `wrongEnvironment` for a receipt that names Xcode where that is not allowed.
    public func verify(
        _ receipt: [UInt8], receivedAt: Timestamp
    ) throws(VerificationError) -> VerifiedReceipt {
        let bytes = try ReceiptForm.decode(receipt)
        let envelope = try ReceiptEnvelope(parsing: bytes)
        let chain = try verifySignature(envelope)
        let payload = try ReceiptVerifier.decode(envelope.content)
        let date = payload.creationDate ?? receivedAt
        if let chain, !chain.window.contains(date) {
            throw VerificationError(
                .certificateNotValidAtSigning,
                reason: "A certificate of the chain was not valid when the receipt was made.")
        }
        try requireAllowed(payload, isLocal: chain == nil)
        return VerifiedReceipt(
            receipt: payload, bytes: bytes, payloadBytes: envelope.content, effectiveDate: date,
            trust: EvidenceTrust(root: chain?.rootFingerprint), chain: chain,
            unsignedByteCount: bytes.count - envelope.knownByteCount)
    }

    /// Decodes a receipt without verifying it, to find ids in it or to show it. Never evidence.
    ///
    /// Throws `payloadTooLarge`, `malformedReceipt`, `unsupportedAlgorithm`, `invalidChainLength`,
    /// `invalidCertificate` and `undecodablePayload`.
    public static func readUnverified(
        _ receipt: [UInt8]
    ) throws(VerificationError) -> AppReceipt {
        let envelope = try ReceiptEnvelope(parsing: try ReceiptForm.decode(receipt))
        return try decode(envelope.content)
    }

    /// Whether a receipt does not present a chain of certificates: its signature, even if valid, is
    /// then Xcode's, and proves nothing.
    package static func isLocal(_ receipt: [UInt8]) -> Bool {
        let bytes = try? ReceiptForm.decode(receipt)
        let envelope = bytes.flatMap { try? ReceiptEnvelope(parsing: $0) }
        return (envelope?.certificates.count ?? 0) < CertificateChainPolicy.certificateCount
    }

    /// Number of cached chains: at most `RecentlyUsed.capacity`.
    var cachedCount: Int { cache.count }

    private static func decode(_ content: [UInt8]) throws(VerificationError) -> AppReceipt {
        let payload: AppReceipt
        do throws(AppReceiptError) {
            payload = try AppReceipt.decode(content)
        } catch {
            let isTooLarge = error.code == .tooManyPurchases || error.code == .tooManyAttributes
            throw VerificationError(
                isTooLarge ? .payloadTooLarge : .undecodablePayload,
                reason: "The receipt cannot be decoded: \(error.description).")
        }
        guard payload.bundleId != nil else {
            throw VerificationError(
                .undecodablePayload, reason: "The receipt has no bundle id.")
        }
        return payload
    }

    /// The chain under which the signature is valid; nil for Xcode's own certificate.
    private func verifySignature(
        _ envelope: ReceiptEnvelope
    ) throws(VerificationError) -> ReceiptCertificateChain? {
        let key = envelope.chainKey
        if let known = cache.value(key) {
            try requireSignature(of: known.key, on: envelope)
            return known
        }
        guard envelope.certificates.count >= CertificateChainPolicy.certificateCount else {
            guard allowsXcode, envelope.certificates.count == 1 else {
                throw VerificationError(
                    .invalidChainLength,
                    reason: "The receipt must contain the signer, intermediate and root "
                        + "certificate.")
            }
            try requireSignature(
                of: try ReceiptCertificateChainPolicy.localKey(envelope.certificates[0]),
                on: envelope)
            return nil
        }
        let chain = try unknownChain(envelope)
        try requireSignature(of: chain.key, on: envelope)
        cache.insert(chain, key: key)
        return chain
    }

    /// Compares the root with the pinned ones before any certificate is parsed, so a foreign chain
    /// costs digests only.
    private func unknownChain(
        _ envelope: ReceiptEnvelope
    ) throws(VerificationError) -> ReceiptCertificateChain {
        let fingerprints = envelope.certificates.map { SHA256.hash($0) }
        guard let rootIndex = fingerprints.firstIndex(where: { roots.contains($0) }) else {
            throw VerificationError(
                .untrustedRoot,
                reason: "The chain does not end in a trusted root. Add a simulator's root to"
                    + " trustedRoots.")
        }
        return try ReceiptCertificateChainPolicy.verify(
            envelope, rootIndex: rootIndex, rootFingerprint: fingerprints[rootIndex],
            budget: budget)
    }

    private func requireSignature(
        of key: RSAVerificationKey, on envelope: ReceiptEnvelope
    ) throws(VerificationError) {
        guard envelope.isSigned(by: key) else {
            throw VerificationError(
                .signatureMismatch,
                reason: "The signer's key did not make this signature.")
        }
    }

    /// Separates Xcode's receipts and genuine ones: see `EvidenceVerifier`.
    private func requireAllowed(
        _ receipt: AppReceipt, isLocal: Bool
    ) throws(VerificationError) {
        let isXcode = receipt.receiptType?.value == .xcode
        if isLocal, !isXcode {
            throw VerificationError(
                .invalidChainLength,
                reason: "A single certificate is accepted only for Xcode's own receipts.")
        }
        guard !isXcode || allowsXcode else {
            throw VerificationError(
                .wrongEnvironment, reason: "Receipts of Xcode are not accepted here.")
        }
    }
}
