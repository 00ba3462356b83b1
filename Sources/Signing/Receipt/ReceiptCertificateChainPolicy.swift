internal import AppStore
internal import COpenSSL

/// The requirements on a chain that signs app receipts (`Receipts.md`): signer, intermediate,
/// and a pinned root, among the certificates in the receipt. Dates are not checked here: see
/// `ReceiptCertificateChain.window`.
///
/// Differs from the policy for JWS in three ways that genuine receipts require. Keys are RSA.
/// Certificates before 2020 are signed over SHA-1, which OpenSSL rejects from security level 1 on,
/// so paths are built at level 0 and the minimum is set here: RSA of at least 2048 bits throughout,
/// signed over SHA-1 or a digest of SHA-2. Apple's marker in the intermediate is required only of
/// Apple's own: test authorities for receipts have it in the signer alone.
enum ReceiptCertificateChainPolicy {
    /// SSL_CTX_set_security_level(3): level 0 leaves the checks to this type.
    private static let securityLevel: Int32 = 0

    private static let signatureAlgorithms: [Int32] = [
        NID_sha1WithRSAEncryption, NID_sha256WithRSAEncryption, NID_sha384WithRSAEncryption,
        NID_sha512WithRSAEncryption,
    ]

    /// The chain from the signer up to `certificates[rootIndex]`, which the caller has matched with
    /// a pinned root.
    ///
    /// Signatures are verified last, each for one unit of `budget`, as for JWS.
    ///
    /// Throws `invalidCertificate`, `missingAppleMarker` or `tooManyUnknownChains`.
    static func verify(
        _ envelope: ReceiptEnvelope, rootIndex: Int, rootFingerprint: Digest,
        budget: CertificateChainBudget? = nil
    ) throws(VerificationError) -> ReceiptCertificateChain {
        try verify(
            envelope, rootIndex: rootIndex, rootFingerprint: rootFingerprint,
            needsIntermediateMarker: TrustedRoots.isApple(rootFingerprint), budget: budget)
    }

    /// The same, with an explicit profile.
    static func verify(
        _ envelope: ReceiptEnvelope, rootIndex: Int, rootFingerprint: Digest,
        needsIntermediateMarker: Bool, budget: CertificateChainBudget? = nil
    ) throws(VerificationError) -> ReceiptCertificateChain {
        let outcome = ErrorQueue.contained {
            () -> Result<ReceiptCertificateChain, VerificationError> in
            do throws(VerificationError) {
                let chain = try check(
                    envelope, rootIndex: rootIndex, rootFingerprint: rootFingerprint,
                    needsIntermediateMarker: needsIntermediateMarker, budget: budget)
                return .success(chain)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// The key of Xcode's own certificate, which proves nothing: the caller checks that the receipt
    /// names Xcode.
    static func localKey(_ der: [UInt8]) throws(VerificationError) -> RSAVerificationKey {
        let key: RSAVerificationKey? = ErrorQueue.contained {
            guard let certificate = Certificate(der: der) else { return nil }
            return RSAVerificationKey(of: certificate)
        }
        guard let key else {
            throw invalid("The certificate is invalid or its key is not RSA of an accepted length.")
        }
        return key
    }

    private static func invalid(_ reason: String) -> VerificationError {
        VerificationError(.invalidCertificate, reason: reason)
    }

    private static func check(
        _ envelope: ReceiptEnvelope, rootIndex: Int, rootFingerprint: Digest,
        needsIntermediateMarker: Bool, budget: CertificateChainBudget?
    ) throws(VerificationError) -> ReceiptCertificateChain {
        guard let name = SignerName(envelope.signer),
            let signerIndex = envelope.certificates.indices.first(where: { index in
                guard let certificate = Certificate(der: envelope.certificates[index]) else {
                    return false
                }
                return name.matches(certificate)
            }), signerIndex != rootIndex
        else { throw invalid("The receipt does not contain the signer's certificate.") }
        var fault: VerificationError?
        for index in envelope.certificates.indices where index != signerIndex && index != rootIndex
        {
            do throws(VerificationError) {
                return try chain(
                    signer: envelope.certificates[signerIndex],
                    intermediate: envelope.certificates[index],
                    root: envelope.certificates[rootIndex], rootFingerprint: rootFingerprint,
                    needsIntermediateMarker: needsIntermediateMarker, budget: budget)
            } catch {
                if error.code == .tooManyUnknownChains { throw error }
                // Unrelated certificates may be included; report the first fault.
                fault = fault ?? error
            }
        }
        throw fault ?? invalid("No certificate links the signer's to the root.")
    }

    private static func chain(
        signer signerDER: [UInt8], intermediate intermediateDER: [UInt8], root rootDER: [UInt8],
        rootFingerprint: Digest, needsIntermediateMarker: Bool, budget: CertificateChainBudget?
    ) throws(VerificationError) -> ReceiptCertificateChain {
        guard let signer = Certificate(der: signerDER),
            let intermediate = Certificate(der: intermediateDER),
            let root = Certificate(der: rootDER)
        else {
            throw invalid("A certificate is not a single DER certificate without trailing bytes.")
        }
        if let fault = CertificateChainPolicy.faultOfForm(
            leaf: signer, intermediate: intermediate, root: root)
        {
            throw invalid(fault)
        }
        guard RSAVerificationKey.isStrong(intermediate), RSAVerificationKey.isStrong(root),
            let key = RSAVerificationKey(of: signer)
        else { throw invalid("A certificate's key is not RSA of an accepted length.") }
        guard isSignedAcceptably(signer), isSignedAcceptably(intermediate) else {
            throw invalid("A certificate is signed with an algorithm other than RSA over SHA.")
        }
        guard let signerWindow = signer.validity, let intermediateWindow = intermediate.validity,
            let rootWindow = root.validity
        else { throw invalid("A certificate's validity period is unreadable.") }
        guard signer.hasExtension(CertificateChainPolicy.leafMarker) else {
            throw CertificateChainPolicy.missingMarker(
                "The signer's certificate lacks Apple's marker extension.", part: .outer)
        }
        let isMarked = intermediate.hasExtension(CertificateChainPolicy.intermediateMarker)
        guard isMarked || !needsIntermediateMarker else {
            throw CertificateChainPolicy.missingMarker(
                "The intermediate lacks Apple's marker extension.", part: .outer)
        }
        try CertificateChainBudget.require(budget)
        guard
            CertificateChainPolicy.signaturesHold(
                leaf: signer, intermediate: intermediate, root: root, isStrict: false,
                securityLevel: securityLevel)
        else { throw invalid("The certificates do not form a chain of valid signatures.") }
        return ReceiptCertificateChain(
            window: signerWindow.intersection(intermediateWindow).intersection(rootWindow),
            rootFingerprint: rootFingerprint, signer: signerDER, intermediate: intermediateDER,
            root: rootDER, key: key)
    }

    private static func isSignedAcceptably(_ certificate: borrowing Certificate) -> Bool {
        signatureAlgorithms.contains(X509_get_signature_nid(certificate.handle))
    }
}
