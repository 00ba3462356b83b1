import AppStore
import Signing

/// A version 1 notification that carries the app's shared secret.
package struct AcceptedNotificationV1: Sendable {
    let notification: NotificationV1
    let sealed: SealedNotificationV1
    /// When Apple created the notification: the date of the receipt inside, which is issued anew
    /// for each one; else the latest past date in the body. A receipt of another app is ignored.
    /// The receipt is not verified: the body is authenticated otherwise.
    let statedAt: Timestamp?

    init(notification: NotificationV1, sealed: SealedNotificationV1) {
        self.notification = notification
        self.sealed = sealed
        let receipt = notification.latestReceipt.flatMap { text in
            try? ReceiptVerifier.readUnverified(Array(text.utf8))
        }
        let isDating = receipt?.bundleId == notification.bundleId
        statedAt = (isDating ? receipt?.creationDate : nil) ?? notification.latestPast
    }

    /// The environment by its ledger name; Apple writes PROD here and Production elsewhere. Nil
    /// where none is named: then it is that of the ledger it is submitted to, over HTTP Production
    /// (`Contract.md`, `ingest`).
    var environment: String? {
        notification.environment == "PROD"
            ? Environment.production.rawValue
            : notification.environment
    }
}

extension EventPreparation {
    /// Compares the password with the app's shared secret, the only authentication of a version 1
    /// notification. The rest of the body is decoded only after they match.
    ///
    /// Throws `undecodablePayload`, `payloadTooLarge`, `sharedSecretMissing`, `wrongSharedSecret`
    /// or `secretExposed`.
    func verifyEvidence(
        notificationV1 body: NotificationV1Body
    ) throws(VerificationError) -> AcceptedNotificationV1 {
        let sealed = try body.sealed
        let bundleId = try app(of: sealed)
        guard let secret = secrets[bundleId] else {
            throw VerificationError(
                .sharedSecretMissing,
                reason: "Version 1 notifications are verified by the app's shared secret, and"
                    + " apps[].sharedSecretFile is not set.")
        }
        guard sealed.isSealed(by: secret) else { throw EventPreparation.wrongSharedSecret }
        guard !secrets.stand(in: sealed.rest) else {
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
        notification.bundleId = notification.bundleId ?? bundleId
        return AcceptedNotificationV1(notification: notification, sealed: sealed)
    }

    /// The app a body names; for the oldest bodies, which name none, the app whose secret it was
    /// sent with.
    private func app(
        of sealed: SealedNotificationV1
    ) throws(VerificationError) -> BundleId {
        if let bundleId = sealed.bundleId { return bundleId }
        guard !secrets.isEmpty else {
            throw VerificationError(
                .sharedSecretMissing,
                reason: "Version 1 notifications are verified by the app's shared secret, and"
                    + " apps[].sharedSecretFile is not set.")
        }
        let apps = secrets.apps(of: sealed)
        guard let first = apps.first else { throw EventPreparation.wrongSharedSecret }
        guard apps.count == 1 else {
            throw VerificationError(
                .undecodablePayload,
                reason: "The notification names no app, and its password is the shared secret of"
                    + " \(apps.count): give each app a secret of its own in App Store Connect.")
        }
        return first
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
