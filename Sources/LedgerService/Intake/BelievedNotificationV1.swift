import AppStore
import Ledger
import LedgerStore
import Signing

/// A version 1 notification that carries the app's shared secret.
struct BelievedNotificationV1: Sendable {
    let notification: NotificationV1
    let sealed: SealedNotificationV1

    /// The environment in the names of the ledgers; Apple says PROD here and Production elsewhere.
    /// Nil where nothing names one: then it is that of the ledger it is handed to, over HTTP
    /// Production's (`contract.md`, `ingest`).
    var environment: String? {
        notification.environment == "PROD"
            ? Environment.production.rawValue
            : notification.environment
    }

    /// When Apple wrote it: the date of the receipt inside, which is made anew for each; else the
    /// latest date inside that is past.
    var statedAt: Timestamp? {
        AppReceiptDates.creationDate(ofBase64: notification.latestReceipt)
            ?? notification.latestPast
    }
}

extension EventPreparation {
    /// Compares the password with the app's shared secret: all there is to believe a version 1
    /// notification by. Nothing else of the body is decoded before it fits.
    ///
    /// Throws `undecodablePayload`, `payloadTooLarge`, `sharedSecretMissing`, `wrongSharedSecret` or
    /// `secretExposed`.
    func believe(notificationV1 body: [UInt8]) throws(VerificationError) -> BelievedNotificationV1 {
        let sealed = try EventPreparation.sealed(body)
        let bundleId = try app(of: sealed)
        guard let secret = secrets[bundleId] else {
            throw VerificationError(
                .sharedSecretMissing,
                reason: "Version 1 notifications are believed by the app's shared secret: set"
                    + " apps[].sharedSecretFile, then run `subledger quarantine retry`.")
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
        return BelievedNotificationV1(notification: notification, sealed: sealed)
    }

    /// The app a body names; of the oldest, which name none, the one whose secret it was sent with.
    private func app(
        of sealed: SealedNotificationV1
    ) throws(VerificationError) -> BundleId {
        if let bundleId = sealed.bundleId { return bundleId }
        guard !secrets.isEmpty else {
            throw VerificationError(
                .sharedSecretMissing,
                reason: "Version 1 notifications are believed by the app's shared secret: set"
                    + " apps[].sharedSecretFile, then run `subledger quarantine retry`.")
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
            reason: "The password is not the app's shared secret: somebody else sent it, or the"
                + " secret was changed in App Store Connect.")
    }

    static var secretExposed: VerificationError {
        VerificationError(
            .secretExposed,
            reason:
                "The app's shared secret stands in it elsewhere than in its password, where Apple"
                + " never puts it: it is not kept. Change the secret in App Store Connect.")
    }

    /// Throws `undecodablePayload` for what is no version 1 notification at all, `payloadTooLarge`
    /// for what holds more values than are looked at before a password.
    static func sealed(_ body: [UInt8]) throws(VerificationError) -> SealedNotificationV1 {
        do throws(JSONError) {
            if let sealed = try SealedNotificationV1(body) { return sealed }
        } catch {
            if error.code == .tooManyValues {
                throw VerificationError(
                    .payloadTooLarge,
                    reason: "It holds more than \(NotificationV1.unreadValueCount) values.")
            }
            throw VerificationError(
                .undecodablePayload, reason: "It is not valid JSON (\(error.code.rawValue)).")
        }
        throw VerificationError(
            .wrongSharedSecret,
            reason: "A version 1 notification has a password, and this has none.")
    }
}
