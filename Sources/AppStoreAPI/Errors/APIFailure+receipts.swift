import AppStore

/// Failures for verifyReceipt's statuses (`OriginalStoreKit.md`).
extension APIFailure {
    /// 21004. A retry would fail for every receipt of the app.
    static func wrongSharedSecret(isSent: Bool) -> APIFailure {
        APIFailure(
            code: .wrongSharedSecret, endpoint: .verifyReceipt, status: 200,
            receiptStatus: Raw(.wrongSharedSecret),
            reason: isSent
                ? "Apple rejects the app's shared secret (21004)."
                : "Apple requires the app's shared secret (21004), and none is configured.",
            remedy: "Copy the app-specific shared secret from App Store Connect (App Information)"
                + " and put it first in the file of apps[].sharedSecretFile; until then version 1"
                + " notifications with a new secret are rejected, too.")
    }

    /// A permanent status without a receipt, or 21002, which may be transient, after all attempts.
    static func receiptRefused(
        _ status: Raw<VerifyReceiptStatus>, attempts: Int
    ) -> APIFailure {
        let often = attempts > 1 ? ", \(attempts) times" : ""
        return APIFailure(
            code: .receiptRefusedByApple, endpoint: .verifyReceipt, status: 200,
            receiptStatus: status,
            reason: "Apple returned status \(status.rawValue)\(often) and does not confirm the"
                + " receipt.",
            remedy: remedy(status.value))
    }

    /// Transient statuses, caused by Apple.
    static func receiptUnavailable(
        _ status: Raw<VerifyReceiptStatus>, attempts: Int
    ) -> APIFailure {
        APIFailure(
            code: .appleUnavailable, endpoint: .verifyReceipt, status: 200, receiptStatus: status,
            reason: "Apple returned status \(status.rawValue), \(attempts) times.",
            remedy: "Try again later; Apple's System Status page lists outages.")
    }

    private static func remedy(_ status: VerifyReceiptStatus?) -> String {
        switch status {
        case .malformedOrTemporary:
            "Check that the receipt is complete and unmodified. Apple also returns this for"
                + " transient failures: try again later."
        case .notAuthenticated: "The receipt is forged or damaged. Give no access because of it."
        case .isSandboxReceipt, .isProductionReceipt:
            "Each environment assigns the receipt to the other one. Check --base-url."
        case .accountNotFound:
            "The customer's account does not exist. Give no access because of it."
        case .notPosted: "Check that no proxy changes requests."
        case .valid, .unused, .wrongSharedSecret, .unavailable, .validButExpired,
            .internalDataAccess:
            "Try again later."
        case nil:
            "Apple does not document a retry; look the status up under"
                + " appstorereceipts/status."
        }
    }
}
