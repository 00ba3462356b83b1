import AppStore
import Signing

/// What speaks for a version 1 notification whose password is not the app's shared secret.
extension EventPreparation {
    /// The configured app that the notification is about, by the receipt inside it, which Apple
    /// signed; nil without one, and for whatever was refused for another reason.
    ///
    /// It proves nothing of the rest of the body, and is no reason to believe it: every customer has
    /// such a receipt. But strangers have none, and where the secret configured here is the wrong one,
    /// all that Apple sends looks like this.
    func vouchedApp(
        of submission: Submission, refusedBy error: VerificationError, _ receivedAt: Timestamp
    ) -> BundleId? {
        guard error.code == .wrongSharedSecret, case .notificationV1(let body) = submission.form,
            let sealed = try? body.sealed,
            sealed.bundleId.map({ isConfigured($0) }) ?? true,
            let receipt = body.latestReceipt,
            let verified = try? verifier.receipts.verify(receipt, receivedAt: receivedAt),
            // Xcode's receipts are signed by nobody.
            verified.chain != nil,
            let bundleId = verified.receipt.bundleId, isConfigured(bundleId)
        else { return nil }
        return (sealed.bundleId ?? bundleId) == bundleId ? bundleId : nil
    }

    /// What to do about it, behind why it was refused.
    static let vouchedAdvice =
        " The receipt inside is one that Apple signed for this app: if the secret was changed, set"
        + " apps[].sharedSecretFile, then run `subledger quarantine retry`."
}
