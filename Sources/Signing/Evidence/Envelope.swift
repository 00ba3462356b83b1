internal import AppStore

/// The app, environment and trust stated by a notification, with which its nested parts must agree:
/// a part taken from another app's, environment's or authority's evidence does not belong to it.
/// Values that a part omits, such as a renewal info's bundle id, are the envelope's.
struct Envelope {
    let environment: Raw<Environment>?
    let bundleId: BundleId?
    let trust: EvidenceTrust

    init(payload: NotificationPayload, trust: EvidenceTrust) {
        environment = payload.environment
        bundleId = payload.bundleId
        self.trust = trust
    }

    func admit(_ nested: NestedPart<TransactionPayload>?) throws(VerificationError) {
        guard let nested else { return }
        try admit(
            nested.jws, part: nested.part, environment: nested.payload?.environment,
            bundleId: nested.payload?.bundleId)
    }

    func admit(_ nested: NestedPart<RenewalPayload>?) throws(VerificationError) {
        guard let nested else { return }
        try admit(
            nested.jws, part: nested.part, environment: nested.payload?.environment, bundleId: nil)
    }

    func admit(_ nested: NestedPart<AppTransactionPayload>?) throws(VerificationError) {
        guard let nested else { return }
        try admit(
            nested.jws, part: nested.part, environment: nested.payload?.receiptType,
            bundleId: nested.payload?.bundleId)
    }

    private func admit(
        _ jws: VerifiedJWS, part: EvidencePart, environment: Raw<Environment>?,
        bundleId: BundleId?
    ) throws(VerificationError) {
        guard trust.admits(EvidenceTrust(jws)) else {
            throw EvidenceBinding.mismatch(
                .untrustedRoot, part: part, "The part and its envelope differ in trust anchor.")
        }
        if let environment {
            // Local data must state its environment; an envelope without one cannot supply it.
            let isAgreed =
                self.environment.map { $0 == environment }
                ?? (environment.value != .xcode && environment.value != .localTesting)
            guard isAgreed else {
                throw EvidenceBinding.mismatch(
                    .wrongEnvironment, part: part,
                    "The part is for \(environment.rawValue.named), its envelope for"
                        + " \(self.environment?.rawValue.named ?? "none").")
            }
        }
        if let bundleId, let expected = self.bundleId, bundleId != expected {
            throw EvidenceBinding.mismatch(
                .wrongApp, part: part,
                "The part is for app \(bundleId.rawValue.named), its envelope for"
                    + " \(expected.rawValue.named).")
        }
    }
}
