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
    /// Throws `undecodablePayload`, `sharedSecretMissing` or `wrongSharedSecret`.
    func believe(notificationV1 body: [UInt8]) throws(VerificationError) -> BelievedNotificationV1 {
        let sealed = try EventPreparation.sealed(body)
        guard let bundleId = sealed.bundleId, let secret = secrets[bundleId] else {
            throw VerificationError(
                .sharedSecretMissing,
                reason: "Version 1 notifications are believed by the app's shared secret: set"
                    + " apps[].sharedSecretFile, then run `subledger quarantine retry`.")
        }
        guard sealed.isSealed(by: secret) else {
            throw VerificationError(
                .wrongSharedSecret,
                reason: "The password is not the app's shared secret: somebody else sent it, or"
                    + " the secret was changed in App Store Connect.")
        }
        let notification: NotificationV1
        do throws(JSONError) { notification = try sealed.decoded() } catch {
            throw VerificationError(
                .undecodablePayload,
                reason: "The password is right, but this version cannot read the notification"
                    + " (\(error.code.rawValue)\(error.field.map { " in \($0)" } ?? "")).")
        }
        try EventPreparation.requireBounded(notification.transactions)
        return BelievedNotificationV1(notification: notification, sealed: sealed)
    }

    /// Throws `undecodablePayload` for what is no version 1 notification at all.
    static func sealed(_ body: [UInt8]) throws(VerificationError) -> SealedNotificationV1 {
        do throws(JSONError) {
            if let sealed = try SealedNotificationV1(body) { return sealed }
        } catch {
            throw VerificationError(
                .undecodablePayload, reason: "It is not valid JSON (\(error.code.rawValue)).")
        }
        throw VerificationError(
            .wrongSharedSecret,
            reason: "A version 1 notification has a password, and this has none.")
    }
}
