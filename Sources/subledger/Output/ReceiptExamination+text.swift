import AppStore
import Queries
import Signing

extension ReceiptExamination {
    /// `receipt` for people.
    public func text(file: String) -> String {
        let refused = refusal.map { "\($0.code.rawValue): \($0.reason)" }
        var lines = heading
        lines += TextTable.labelled([
            ("verified", verdict), ("refused", trust == nil ? nil : refused),
            ("device", isOfDevice.map { $0 ? "the given one" : "another one" }),
            ("purchases", appReceipt.map { String($0.inAppPurchases.count) }),
        ])
        for purchase in appReceipt?.inAppPurchases ?? [] { lines.append("  " + purchase.line) }
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
        return ["transaction receipt of iOS 6"]
            + TextTable.labelled([
                ("transaction", receipt.transactionId.rawValue.printable),
                ("product", receipt.productId?.rawValue.printable ?? "not stated"),
            ])
    }
}

extension AppReceipt {
    fileprivate var heading: [String] {
        let version = applicationVersion.map { " " + $0.printable } ?? ""
        let first = originalApplicationVersion.map { ", first \($0.printable)" } ?? ""
        let app = bundleId?.rawValue.printable ?? "an unstated app"
        return ["app receipt of \(app)\(version)\(first)"]
            + TextTable.labelled([
                ("type", receiptType?.rawValue.printable ?? "not stated"),
                ("created", creationDate?.rfc3339 ?? "not stated"),
                ("app bought", originalPurchaseDate?.rfc3339),
                ("app expires", expirationDate?.rfc3339),
            ])
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
