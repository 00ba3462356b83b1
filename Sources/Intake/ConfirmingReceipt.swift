import AppStore
import Signing

/// Identifies a version 1 notification whose password is not the app's shared secret.
extension EventPreparation {
    /// The configured app that the notification is about, according to the receipt inside it, which
    /// Apple signed; nil without one, and for evidence refused for another reason.
    ///
    /// This does not authenticate the body: every customer has such a receipt. It separates the
    /// body from those of other senders, which have none; while the configured secret is wrong,
    /// Apple's notifications look like this.
    func vouchedApp(
        of submission: Submission, refusedBy error: VerificationError, _ receivedAt: Timestamp
    ) -> BundleId? {
        guard error.code == .wrongSharedSecret, case .notificationV1(let body) = submission.form,
            let sealed = try? body.sealed,
            sealed.bundleId.map({ isConfigured($0) }) ?? true,
            let receipt = body.latestReceipt,
            let verified = try? verifier.receipts.verify(receipt, receivedAt: receivedAt),
            // Receipts from Xcode are not signed by Apple.
            verified.chain != nil,
            let bundleId = verified.receipt.bundleId, isConfigured(bundleId),
            (sealed.bundleId ?? bundleId) == bundleId,
            // With the app's secret a body is refused for its purchases; no other secret helps.
            secrets[bundleId].map({ sealed.isSealed(by: $0) }) != true
        else { return nil }
        return bundleId
    }

    /// Appended to the reason for the refusal.
    static let vouchedAdvice =
        " The receipt inside is one that Apple signed for this app:"
        + " apps[].sharedSecretFile may hold an old secret."
}
