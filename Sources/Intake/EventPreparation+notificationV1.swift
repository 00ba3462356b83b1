import AppStore
import Signing

extension EventPreparation {
    /// Compares the password with the app's shared secret, the only authentication of a version 1
    /// notification. The rest of the body is decoded only after they match; a body with a purchase
    /// that names another app than the secret's is refused.
    ///
    /// Throws `undecodablePayload`, `payloadTooLarge`, `sharedSecretMissing`, `wrongSharedSecret`
    /// or `secretExposed`.
    func verifyEvidence(
        notificationV1 body: NotificationV1Body
    ) throws(VerificationError) -> AcceptedEvidence {
        let sealed = try body.sealed
        let bundleId = try app(of: sealed)
        guard let secret = secrets[bundleId] else { throw EventPreparation.secretMissing }
        guard sealed.isSealed(by: secret) else { throw EventPreparation.wrongSharedSecret }
        guard !secrets.occur(in: sealed.rest) else {
            throw EventPreparation.secretExposed
        }
        var notification: NotificationV1
        do throws(JSONError) { notification = try NotificationV1(sealed.parsed()) } catch {
            throw VerificationError(
                .undecodablePayload,
                reason: "The password is right, but this version cannot read the notification"
                    + " (\(error.code.rawValue)\(error.field.map { " in \($0)" } ?? "")).")
        }
        try EventPreparation.requireBounded(notification.transactions)
        guard notification.transactions.allSatisfy({ $0.bundleId ?? bundleId == bundleId }) else {
            throw VerificationError(
                .wrongSharedSecret,
                reason: "The password is the shared secret of \(bundleId.rawValue.named), and a"
                    + " purchase names another app: Apple sends no such body; its sender has the"
                    + " secret.")
        }
        notification.bundleId = bundleId
        return AcceptedEvidence(notification, sealed)
    }

    /// The app a body names; for the oldest bodies, which name none, the app whose secret it was
    /// sent with.
    private func app(
        of sealed: SealedNotificationV1
    ) throws(VerificationError) -> BundleId {
        if let bundleId = sealed.bundleId { return bundleId }
        let all = secrets.apps(of: sealed)
        // An app that is left out counts only where no other has the secret.
        let apps = all.filter { isConfigured($0) }
        guard let first = apps.first ?? all.first else {
            throw secrets.isEmpty(where: { isConfigured($0) })
                ? EventPreparation.secretMissing : EventPreparation.wrongSharedSecret
        }
        guard apps.count <= 1 else {
            throw VerificationError(
                .undecodablePayload,
                reason: "The notification names no app, and its password is the shared secret of"
                    + " \(apps.count): give each app a secret of its own in App Store Connect.")
        }
        return first
    }

    private static var secretMissing: VerificationError {
        VerificationError(
            .sharedSecretMissing,
            reason: "Version 1 notifications are verified by the app's shared secret, and"
                + " apps[].sharedSecretFile is not set, or its file could not be used; see"
                + " `subledger doctor`.")
    }

    private static var wrongSharedSecret: VerificationError {
        VerificationError(
            .wrongSharedSecret,
            reason: "The password is not the app's shared secret: Apple did not send it, or the"
                + " secret was changed in App Store Connect.")
    }

    static var secretExposed: VerificationError {
        VerificationError(
            .secretExposed,
            reason:
                "The body contains the app's shared secret outside its password, where Apple"
                + " never puts it, and is not kept. Change the secret in App Store Connect.")
    }
}
