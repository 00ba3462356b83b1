import AppStore
import Foundation
import Signing

/// Verifies one notification, the `signedPayload` that Apple posted, and says what it states.
///
/// Checked are every signature up to Apple's root, the certificates at the date of signing, and
/// that the notification is of this app. Throws the reason with a stable code otherwise.
public func summary(
    of signedPayload: String, for app: AppIdentity
) throws(VerificationError) -> String {
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    // A server makes one verifier and keeps it, since it caches verified certificate chains.
    let verifier = EvidenceVerifier()
    let notification = try verifier.verifyNotification(
        Array(signedPayload.utf8), receivedAt: now)
    try app.require(notification)

    let type = notification.payload.notificationType?.rawValue ?? "unknown"
    guard let transaction = notification.transaction?.payload else { return type }
    let product = transaction.productId?.rawValue ?? "unknown"
    let end = transaction.expiresDate?.rfc3339 ?? "further notice"
    return "\(type): \(product) until \(end)"
}
