import AppStore
import Queries
import Signing

extension ReceiptExamination {
    /// `receipt` for people.
    public func text(file: String) -> String {
        var lines = heading
        lines.append("verified".padding(to: 16) + verdict)
        if trust != nil, let refusal {
            lines.append("refused".padding(to: 16) + "\(refusal.code.rawValue): \(refusal.reason)")
        }
        if let isOfDevice {
            lines.append("device".padding(to: 16) + (isOfDevice ? "the given one" : "another one"))
        }
        if let receipt = appReceipt {
            lines.append("purchases".padding(to: 16) + String(receipt.inAppPurchases.count))
            for purchase in receipt.inAppPurchases { lines.append("  " + purchase.line) }
        }
        let ids = originalTransactionIds.map(\.rawValue.printable)
        lines.append("chains".padding(to: 16) + (ids.isEmpty ? "none" : String(ids.count)))
        for id in ids { lines.append("  " + id) }
        for product in untypedProducts {
            lines.append(
                "not listed".padding(to: 16) + product.rawValue.printable
                    + ": its kind is unknown; it is not counted until it is listed under products"
                    + " in the configuration, with a duration if it is a non-renewing"
                    + " subscription, or Apple's signed transaction is fetched")
        }
        for step in nextSteps(file: file) {
            lines.append("next".padding(to: 16) + step.purpose + ":")
            lines.append("  " + step.command.printable)
        }
        return lines.printableText
    }

    private var verdict: String {
        switch trust {
        case .apple: "yes, signed by Apple"
        case .extraRoot(let root): "yes, under the extra root \(root.hexadecimal)"
        case .local: "by an Xcode certificate only, which proves nothing"
        case nil: refusal.map { "no: \($0.code.rawValue): \($0.reason)" } ?? "no"
        }
    }

    private var heading: [String] {
        if let appReceipt { return appReceipt.heading }
        guard let receipt = transactionReceipt else { return ["not a receipt"] }
        return [
            "transaction receipt of iOS 6",
            "transaction".padding(to: 16) + receipt.transactionId.rawValue.printable,
            "product".padding(to: 16) + (receipt.productId?.rawValue.printable ?? "not stated"),
        ]
    }
}

extension AppReceipt {
    fileprivate var heading: [String] {
        let version = applicationVersion.map { " " + $0.printable } ?? ""
        let first = originalApplicationVersion.map { ", first \($0.printable)" } ?? ""
        var lines = [
            "app receipt of \(bundleId?.rawValue.printable ?? "an unstated app")\(version)\(first)",
            "type".padding(to: 16) + (receiptType?.rawValue.printable ?? "not stated"),
            "created".padding(to: 16) + (creationDate?.rfc3339 ?? "not stated"),
        ]
        if let originalPurchaseDate {
            lines.append("app bought".padding(to: 16) + originalPurchaseDate.rfc3339)
        }
        if let expirationDate {
            lines.append("app expires".padding(to: 16) + expirationDate.rfc3339)
        }
        return lines
    }
}

extension InAppPurchaseReceipt {
    fileprivate var line: String {
        var parts = [purchase.productId?.rawValue.printable ?? "no product"]
        if let id = purchase.transactionId { parts.append("transaction \(id.rawValue.printable)") }
        if let chain = purchase.originalTransactionId {
            parts.append("of chain \(chain.rawValue.printable)")
        }
        if let kind = productType {
            parts.append(kind.value?.productType?.rawValue ?? "type \(kind.rawValue)")
        }
        if let date = purchase.purchaseDate { parts.append("bought \(date.rfc3339)") }
        if let date = purchase.expiresDate { parts.append("until \(date.rfc3339)") }
        if let date = purchase.cancellationDate { parts.append("cancelled \(date.rfc3339)") }
        if purchase.isTrialPeriod == true { parts.append("trial") }
        if purchase.isInIntroOfferPeriod == true { parts.append("introductory offer") }
        if let id = purchase.promotionalOfferId { parts.append("offer \(id.printable)") }
        return parts.joined(separator: ", ")
    }
}
