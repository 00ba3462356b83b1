public import AppStore
import Signing

extension ReceiptExamination {
    /// The object of `receipt --json`.
    ///
    /// - `file`: the path of the receipt, as given.
    public func write(to json: inout JSONWriter, file: String) {
        json.object { json in
            json.member("form", form)
            json.member("verified", trust != nil)
            json.member("accepted", isAccepted)
            json.member("code", refusal?.code.rawValue)
            json.member("message", refusal?.reason)
            json.member("signedBy", signedBy)
            json.member("rootFingerprint", rootFingerprint?.hexadecimal)
            json.member("effectiveDate", effectiveDate)
            json.member("isOfDevice", isOfDevice)
            json.member("environment", environment?.rawValue)
            json.member("bundleId", bundleId)
            json.object("receipt", appReceipt) { json, receipt in receipt.writeMembers(to: &json) }
            json.object("transactionReceipt", transactionReceipt) { json, receipt in
                json.member("transactionId", receipt.transactionId)
                json.member("originalTransactionId", receipt.originalTransactionId)
                json.member("productId", receipt.productId)
            }
            json.array("originalTransactionIds", originalTransactionIds)
            json.array("untypedProducts", untypedProducts)
            json.objects("next", nextSteps(file: file)) { json, step in
                json.member("command", step.command)
                json.member("purpose", step.purpose)
            }
        }
    }

    var form: String? {
        if appReceipt != nil { return "appReceipt" }
        return transactionReceipt == nil ? nil : "transactionReceipt"
    }

    /// Apple, a root added by the operator, or Xcode; nil when verification failed.
    var signedBy: String? {
        switch trust {
        case .apple: "Apple"
        case .extraRoot: "extraRoot"
        case .local: "Xcode"
        case nil: nil
        }
    }
}

extension AppReceipt {
    func writeMembers(to json: inout JSONWriter) {
        json.member("receiptType", receiptType?.rawValue)
        json.member("bundleId", bundleId)
        json.member("appAppleId", appAppleId)
        json.member("applicationVersion", applicationVersion)
        json.member("originalApplicationVersion", originalApplicationVersion)
        json.member("receiptCreationDate", creationDate)
        json.member("originalPurchaseDate", originalPurchaseDate)
        json.member("expirationDate", expirationDate)
        json.member("downloadId", downloadId)
        json.member("versionExternalIdentifier", versionExternalIdentifier)
        json.objects("inAppPurchases", inAppPurchases) { $1.writeMembers(to: &$0) }
        json.objects("otherAttributes", otherAttributes) { $1.writeMembers(to: &$0) }
    }
}

extension InAppPurchaseReceipt {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("quantity", purchase.quantity)
        json.member("productId", purchase.productId)
        json.member("transactionId", purchase.transactionId)
        json.member("originalTransactionId", purchase.originalTransactionId)
        json.member("purchaseDate", purchase.purchaseDate)
        json.member("originalPurchaseDate", purchase.originalPurchaseDate)
        json.member("expiresDate", purchase.expiresDate)
        json.member("cancellationDate", purchase.cancellationDate)
        json.member("productType", productType?.rawValue)
        json.member("type", productType?.value?.productType?.rawValue)
        json.member("webOrderLineItemId", purchase.webOrderLineItemId)
        json.member("isTrialPeriod", purchase.isTrialPeriod)
        json.member("isInIntroOfferPeriod", purchase.isInIntroOfferPeriod)
        json.member("promotionalOfferId", purchase.promotionalOfferId)
        json.objects("otherAttributes", otherAttributes) { $1.writeMembers(to: &$0) }
    }
}

extension ReceiptAttribute {
    /// The value in base64.
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("type", type)
        json.member("version", version)
        json.member("value", String(decoding: Base64.standard.encode(value), as: UTF8.self))
    }
}
