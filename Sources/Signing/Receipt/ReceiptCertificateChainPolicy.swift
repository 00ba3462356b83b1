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
        needsIntermediateMarker: Bool? = nil, budget: CertificateChainBudget? = nil
    ) throws(VerificationError) -> ReceiptCertificateChain {
        let profile = CertificateChainPolicy.Profile(
            isStrict: false,
            needsIntermediateMarker: needsIntermediateMarker
                ?? TrustedRoots.isApple(rootFingerprint),
            securityLevel: securityLevel, leafName: "The signer's certificate")
        guard let signerIndex = signerIndex(envelope), signerIndex != rootIndex else {
            throw invalid("The receipt does not contain the signer's certificate.")
        }
        var fault: VerificationError?
        for index in envelope.certificates.indices where index != signerIndex && index != rootIndex
        {
            let presented = PresentedCertificateChain(
                leaf: envelope.certificates[signerIndex],
                intermediate: envelope.certificates[index],
                root: envelope.certificates[rootIndex], rootFingerprint: rootFingerprint)
            do throws(VerificationError) {
                let (key, window) = try CertificateChainPolicy.check(
                    presented, profile, part: .outer, budget: budget, keys: key)
                return ReceiptCertificateChain(
                    window: window, rootFingerprint: rootFingerprint, key: key)
            } catch {
                if error.code == .tooManyUnknownChains { throw error }
                // Unrelated certificates may be included; report the first fault.
                fault = fault ?? error
            }
        }
        throw fault ?? invalid("No certificate links the signer's to the root.")
    }

    private static func signerIndex(_ envelope: ReceiptEnvelope) -> Int? {
        ErrorQueue.contained {
            guard let name = SignerName(envelope.signer) else { return nil }
            return envelope.certificates.indices.first { index in
                guard let certificate = Certificate(der: envelope.certificates[index]) else {
                    return false
                }
                return name.matches(certificate)
            }
        }
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

    /// The signer's key, if all keys and signatures have an accepted type and length.
    private static func key(
        signer: borrowing Certificate, intermediate: borrowing Certificate,
        root: borrowing Certificate
    ) throws(VerificationError) -> RSAVerificationKey {
        guard RSAVerificationKey.isStrong(intermediate), RSAVerificationKey.isStrong(root),
            let key = RSAVerificationKey(of: signer)
        else { throw invalid("A certificate's key is not RSA of an accepted length.") }
        guard isSignedAcceptably(signer), isSignedAcceptably(intermediate) else {
            throw invalid("A certificate is signed with an algorithm other than RSA over SHA.")
        }
        return key
    }

    private static func isSignedAcceptably(_ certificate: borrowing Certificate) -> Bool {
        signatureAlgorithms.contains(X509_get_signature_nid(certificate.handle))
    }
}
