internal import AppStore
internal import COpenSSL

/// The requirements on a chain that signs App Store data (`Verification.md`; RFC 5280 §6.1 for the
/// general part). Dates are not checked here: see `VerifiedCertificateChain.window`.
public enum CertificateChainPolicy {
    /// Leaf, intermediate, root.
    public static let certificateCount = 3
    /// Upper bound of one certificate's DER, 8 KiB (`Log.md` §6).
    public static let maximumCertificateByteCount = 8192
    /// Extension by which Apple marks leaf certificates that sign App Store data.
    public static let leafMarker = "1.2.840.113635.100.6.11.1"
    /// Extension by which Apple marks the intermediate authorities above them.
    public static let intermediateMarker = "1.2.840.113635.100.6.2.1"
    /// OpenSSL's level 2: 112 bits, so no SHA-1 or MD5 signature and no short RSA key
    /// (SSL_CTX_set_security_level(3)).
    static let securityLevel: Int32 = 2

    /// The requirements that differ between kinds of evidence.
    struct Profile {
        /// Whether the strict profile of RFC 5280 applies (key identifiers, critical
        /// BasicConstraints).
        let isStrict: Bool
        let needsIntermediateMarker: Bool
        /// SSL_CTX_set_security_level(3).
        let securityLevel: Int32
        /// The leaf in messages.
        let leafName: String
    }

    /// Verifies a chain against its own presented root, which the caller has matched with a pinned
    /// one.
    ///
    /// Apple's own chain must satisfy the strict profile. Test authorities added by operators often
    /// do not; the checks against forgery apply to all.
    ///
    /// Throws `invalidCertificate`, `missingAppleMarker` or `tooManyUnknownChains`.
    static func verify(
        _ presented: PresentedCertificateChain, part: EvidencePart, isStrict: Bool? = nil,
        budget: CertificateChainBudget? = nil
    ) throws(VerificationError) -> VerifiedCertificateChain {
        let profile = Profile(
            isStrict: isStrict ?? TrustedRoots.isApple(presented.rootFingerprint),
            needsIntermediateMarker: true, securityLevel: securityLevel, leafName: "The leaf")
        let (key, window) = try check(
            presented, profile, part: part, budget: budget
        ) { (leaf, _, _) throws(VerificationError) in
            guard let key = leaf.verificationKey else {
                throw VerificationError(
                    .invalidCertificate, part: part,
                    reason: "The leaf's key is not on the named curve P-256.")
            }
            return key
        }
        return VerifiedCertificateChain(presented: presented, window: window, leafKey: key)
    }

    /// Cheap checks come first, down to names and markers; only a chain that passes them takes from
    /// `budget` and has its signatures verified. `keys` checks the public keys and returns the
    /// leaf's.
    static func check<Key>(
        _ presented: PresentedCertificateChain, _ profile: Profile, part: EvidencePart,
        budget: CertificateChainBudget?,
        keys: (borrowing Certificate, borrowing Certificate, borrowing Certificate)
            throws(VerificationError) -> Key
    ) throws(VerificationError) -> (Key, ValidityWindow) {
        func failure(_ reason: String, _ code: VerificationCode = .invalidCertificate)
            -> VerificationError
        {
            VerificationError(code, part: part, reason: reason)
        }
        return try ErrorQueue.contained { () throws(VerificationError) in
            guard let leaf = Certificate(der: presented.leaf),
                let intermediate = Certificate(der: presented.intermediate),
                let root = Certificate(der: presented.root)
            else {
                throw failure(
                    "A certificate is not a single DER certificate without trailing bytes.")
            }
            if let fault = faultOfForm(leaf: leaf, intermediate: intermediate, root: root) {
                throw failure(fault)
            }
            let key = try keys(leaf, intermediate, root)
            guard let leafWindow = leaf.validity, let intermediateWindow = intermediate.validity,
                let rootWindow = root.validity
            else { throw failure("A certificate's validity period is unreadable.") }
            guard leaf.hasExtension(leafMarker) else {
                throw failure(
                    "\(profile.leafName) lacks Apple's marker extension.", .missingAppleMarker)
            }
            guard
                !profile.needsIntermediateMarker || intermediate.hasExtension(intermediateMarker)
            else {
                throw failure(
                    "The intermediate lacks Apple's marker extension.", .missingAppleMarker)
            }
            try CertificateChainBudget.require(budget, part: part)
            guard
                signaturesHold(leaf: leaf, intermediate: intermediate, root: root, profile)
            else { throw failure("The certificates do not form a chain of valid signatures.") }
            return (key, leafWindow.intersection(intermediateWindow).intersection(rootWindow))
        }
    }

    /// The fault in the certificates that is found without verifying signatures, or nil.
    private static func faultOfForm(
        leaf: borrowing Certificate, intermediate: borrowing Certificate,
        root: borrowing Certificate
    ) -> String? {
        guard leaf.isVersion3, intermediate.isVersion3, root.isVersion3 else {
            return "A certificate is not X.509 v3."
        }
        if leaf.hasUnusableExtension || intermediate.hasUnusableExtension
            || root.hasUnusableExtension
        {
            return "A certificate has an invalid extension or an unknown critical one."
        }
        guard root.isCA, intermediate.isCA else {
            return "The root or the intermediate is not a certificate authority."
        }
        guard !leaf.mightBeCA else { return "The leaf is a certificate authority." }
        guard root.maySignCertificates, intermediate.maySignCertificates else {
            return "The root's or the intermediate's key usage forbids signing certificates."
        }
        guard leaf.mayVerifySignatures else {
            return "The leaf's key usage forbids signatures."
        }
        guard root.isSelfIssued, intermediate.isNamed(asIssuedBy: root),
            leaf.isNamed(asIssuedBy: intermediate)
        else { return "A certificate's issuer is not the next certificate's subject." }
        // One authority follows the root, none follows the intermediate.
        guard root.pathLength.map({ $0 >= 1 }) ?? true else {
            return "The root's path length forbids the intermediate."
        }
        return nil
    }

    /// X509_verify_cert over exactly these three, with the presented root as the only trusted one
    /// and without a clock.
    private static func signaturesHold(
        leaf: borrowing Certificate, intermediate: borrowing Certificate,
        root: borrowing Certificate, _ profile: Profile
    ) -> Bool {
        guard let store = X509_STORE_new() else { return false }
        defer { X509_STORE_free(store) }
        guard X509_STORE_add_cert(store, root.handle) == 1 else { return false }
        guard let untrusted = subledger_x509_stack() else { return false }
        defer { subledger_x509_stack_free(untrusted) }
        guard subledger_x509_stack_push(untrusted, intermediate.handle) > 0 else { return false }
        guard let context = X509_STORE_CTX_new() else { return false }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, leaf.handle, untrusted) == 1 else { return false }
        let parameters = X509_STORE_CTX_get0_param(context)
        // Dates are checked against the effective date later (X509_VERIFY_PARAM_set_flags(3)).
        var flags = UInt(X509_V_FLAG_NO_CHECK_TIME)
        if profile.isStrict { flags |= UInt(X509_V_FLAG_X509_STRICT) }
        guard X509_VERIFY_PARAM_set_flags(parameters, flags) == 1 else { return false }
        X509_VERIFY_PARAM_set_auth_level(parameters, profile.securityLevel)
        guard X509_verify_cert(context) == 1 else { return false }
        return isExactly(
            X509_STORE_CTX_get0_chain(context), leaf: leaf, intermediate: intermediate, root: root)
    }

    /// Whether the chain found is the presented one; OpenSSL may find a shorter path to the root,
    /// which does not count.
    private static func isExactly(
        _ chain: OpaquePointer?, leaf: borrowing Certificate, intermediate: borrowing Certificate,
        root: borrowing Certificate
    ) -> Bool {
        guard let chain, subledger_x509_stack_count(chain) == Int32(certificateCount) else {
            return false
        }
        return X509_cmp(subledger_x509_stack_at(chain, 0), leaf.handle) == 0
            && X509_cmp(subledger_x509_stack_at(chain, 1), intermediate.handle) == 0
            && X509_cmp(subledger_x509_stack_at(chain, 2), root.handle) == 0
    }
}
