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

    func admit(_ nested: NestedPart<some NestedPayload>?) throws(VerificationError) {
        guard let nested else { return }
        let part = nested.part
        guard trust.admits(EvidenceTrust(nested.jws)) else {
            throw EvidenceBinding.mismatch(
                .untrustedRoot, part: part, "The part and its envelope differ in trust anchor.")
        }
        if let environment = nested.payload?.environment {
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
        if let app = nested.payload?.bundleId, let expected = bundleId, app != expected {
            throw EvidenceBinding.mismatch(
                .wrongApp, part: part,
                "The part is for app \(app.rawValue.named), its envelope for"
                    + " \(expected.rawValue.named).")
        }
    }
}
