internal import AppStore

/// What a notification says about the parts inside it, which they must not contradict: a part
/// lifted from another app's, another environment's or another authority's evidence is no part of
/// this one. What a part leaves out, as renewal infos do the bundle id, is bound by the envelope.
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
                .untrustedRoot, part: part, "The part rests on another word than its envelope.")
        }
        if let environment {
            // Local data must say so itself; an envelope without environment cannot vouch for it.
            let isAgreed =
                self.environment.map { $0 == environment }
                ?? (environment.value != .xcode && environment.value != .localTesting)
            guard isAgreed else {
                throw EvidenceBinding.mismatch(
                    .wrongEnvironment, part: part,
                    "The part is of \(environment.rawValue.named), and its envelope of"
                        + " \(self.environment?.rawValue.named ?? "none").")
            }
        }
        if let bundleId, let expected = self.bundleId, bundleId != expected {
            throw EvidenceBinding.mismatch(
                .wrongApp, part: part,
                "The part is of the app \(bundleId.rawValue.named), and its envelope of"
                    + " \(expected.rawValue.named).")
        }
    }
}
