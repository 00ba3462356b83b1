import AppStore

/// What verifyReceipt's statuses come to (`appstore.md` §6).
extension APIFailure {
    /// 21004. Asking again would end so for every receipt of the app.
    static func wrongSharedSecret(isSent: Bool) -> APIFailure {
        var failure = APIFailure(
            .wrongSharedSecret, .verifyReceipt, status: 200,
            reason: isSent
                ? "Apple does not take the app's shared secret (21004)."
                : "Apple wants the app's shared secret (21004), and none is configured.",
            remedy: "Take the app-specific shared secret from App Store Connect (App Information)"
                + " and put it first into the file of apps[].sharedSecretFile; until then version 1"
                + " notifications that come with a new secret are refused, too.")
        failure.receiptStatus = Raw(.wrongSharedSecret)
        return failure
    }

    /// Anything but a receipt that Apple vouches for, when asking again does not help (any more).
    static func receiptRefused(
        _ status: Raw<VerifyReceiptStatus>, attempts: Int
    ) -> APIFailure {
        let often = attempts > 1 ? ", \(attempts) times" : ""
        var failure = APIFailure(
            .receiptRefusedByApple, .verifyReceipt, status: 200,
            reason: "Apple answered with status \(status.rawValue)\(often): it vouches for nothing"
                + " in the receipt.",
            remedy: remedy(status.value))
        failure.receiptStatus = status
        return failure
    }

    /// Statuses that say it is Apple, and only for now.
    static func receiptUnavailable(
        _ status: Raw<VerifyReceiptStatus>, attempts: Int
    ) -> APIFailure {
        var failure = APIFailure(
            .appleUnavailable, .verifyReceipt, status: 200,
            reason: "Apple answered with status \(status.rawValue), \(attempts) times.",
            remedy: "Ask again later; Apple's System Status page tells of outages.")
        failure.receiptStatus = status
        return failure
    }

    private static func remedy(_ status: VerifyReceiptStatus?) -> String {
        switch status {
        case .malformedOrTemporary:
            "Check that the receipt is whole and sent as it was stored; Apple says so of passing"
                + " troubles, too: ask again later."
        case .notAuthenticated: "The receipt is forged or damaged: give no access because of it."
        case .isSandboxReceipt, .isProductionReceipt:
            "Each of Apple's environments says that it is the other's: check --base-url."
        case .accountNotFound:
            "The customer's account is gone, or was never there: give no access because of it."
        case .notPosted: "Check that no proxy changes requests on their way."
        case .valid, .unused, .wrongSharedSecret, .unavailable, .validButExpired,
            .internalDataAccess:
            "Ask again later."
        case nil:
            "Apple does not say that asking again helps; look the status up under"
                + " appstorereceipts/status."
        }
    }
}
