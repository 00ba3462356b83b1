public import AppStore

/// Simulated lives in the formats of original StoreKit: receipts and verifyReceipt responses as of
/// a date, and version 1 notifications. Derived from the records of the simulated API, so that both
/// present the same lives.
public struct OriginalStoreKit: Sendable {
    let books: ServedRecords

    /// The lives of `books`.
    public init(_ books: ServedRecords) { self.books = books }

    /// Chains started by then, by id. Without consumables, which leave a receipt once they are
    /// finished.
    public func ids(at moment: Timestamp) -> [String] {
        books.chains.keys.sorted().filter { !purchases(of: $0, at: moment).isEmpty }
    }

    /// The truth about a chain at a time; nil before it starts.
    public func truth(of id: String, at moment: Timestamp) -> TrueInterval? {
        books.chains[id]?.truth.last { $0.from <= moment }
    }

    /// The chain's transactions that receipts contain.
    func purchases(of id: String, at moment: Timestamp) -> [TransactionPayload] {
        (books.chains[id]?.transactions(at: moment) ?? []).filter {
            $0.type != Raw(.consumable)
        }
    }

    // MARK: Receipts

    /// The customer's app receipt as of a time, to the second; nil before the first purchase.
    public func receipt(of id: String, at moment: Timestamp) -> ReceiptContents? {
        let purchases = purchases(of: id, at: moment)
        guard !purchases.isEmpty else { return nil }
        return ReceiptContents(
            type: books.environment == .production ? .production : .productionSandbox,
            bundleId: books.bundleId.rawValue, creationDate: moment,
            purchases: purchases.map { OriginalStoreKit.attributes($0) })
    }

    private static func attributes(
        _ purchase: TransactionPayload
    ) -> [ReceiptContents.Attribute] {
        var attributes: [ReceiptContents.Attribute] = [
            .number(1701, purchase.quantity ?? 1),
            .text(1702, purchase.productId?.rawValue ?? ""),
            .text(1703, purchase.transactionId?.rawValue ?? ""),
            .text(1705, purchase.originalTransactionId?.rawValue ?? ""),
            .date(1704, purchase.purchaseDate), .date(1706, purchase.originalPurchaseDate),
            .date(1708, purchase.expiresDate), .date(1712, purchase.revocationDate),
            .number(1713, purchase.isTrial ? 1 : 0),
            .number(1719, purchase.isIntroductory ? 1 : 0),
        ]
        let type = purchase.type?.value.flatMap { type in
            ReceiptProductType.allCases.first { $0.productType == type }
        }
        if let type { attributes.append(.number(1707, type.rawValue)) }
        if let item = purchase.webOrderLineItemId.flatMap({ Int64($0.rawValue) }), item > 0 {
            attributes.append(.number(1711, item))
        }
        return attributes
    }

    // MARK: verifyReceipt

    /// The verifyReceipt response for the customer as of a time, with `latestReceipt` in base64;
    /// nil before the first purchase.
    public func verifyReceipt(
        of id: String, at moment: Timestamp, latestReceipt: String? = nil
    ) -> [UInt8]? {
        let purchases = purchases(of: id, at: moment)
        guard !purchases.isEmpty else { return nil }
        let isProduction = books.environment == .production
        return JSONWriter.object { json in
            json.member("status", 0)
            json.member("environment", isProduction ? "Production" : "Sandbox")
            json.object("receipt") { json in
                json.member("receipt_type", isProduction ? "Production" : "ProductionSandbox")
                json.member("bundle_id", books.bundleId)
                json.member("application_version", "1")
                json.date("receipt_creation_date", moment)
                json.date("request_date", moment)
                json.array("in_app", purchases) { json, purchase in json.purchase(purchase) }
            }
            let renewing = purchases.filter { $0.expiresDate != nil }
            if !renewing.isEmpty {
                // Apple's order is unspecified; here the newest comes first.
                json.array("latest_receipt_info", renewing.reversed()) { json, purchase in
                    json.purchase(purchase)
                }
                let pending = [pending(of: id, at: moment)].compactMap { $0 }
                json.array("pending_renewal_info", pending) { json, renewal in
                    json.renewal(renewal)
                }
            }
            json.memberIfPresent("latest_receipt", latestReceipt)
        }
    }

    /// The renewal in Apple's books at that time: the last signed one, updated by unsigned changes
    /// since.
    private func pending(of id: String, at moment: Timestamp) -> RenewalPayload? {
        guard let chain = books.chains[id], var renewal = chain.renewal(at: moment) else {
            return nil
        }
        let interval = truth(of: id, at: moment)
        switch interval?.state {
        case .grace:
            renewal.isInBillingRetryPeriod = true
            renewal.gracePeriodExpiresDate = interval?.to ?? renewal.gracePeriodExpiresDate
        case .billingRetry:
            renewal.isInBillingRetryPeriod = true
            renewal.gracePeriodExpiresDate = nil
        case .expired:
            renewal.isInBillingRetryPeriod = false
            renewal.gracePeriodExpiresDate = nil
            renewal.autoRenewStatus = Raw(.off)
            renewal.expirationIntent = interval?.reason?.expirationIntent.map { Raw($0) }
        default:
            renewal.isInBillingRetryPeriod = nil
            renewal.gracePeriodExpiresDate = nil
            renewal.expirationIntent = nil
        }
        return renewal
    }
}

extension TrueReason {
    fileprivate var expirationIntent: ExpirationIntent? {
        switch self {
        case .voluntary: .customerCancelled
        case .billing: .billingError
        case .priceIncrease: .customerDidNotConsentToPriceIncrease
        case .productUnavailable: .productNotAvailable
        case .other: .other
        case .refund, .familyRevoke, .unconfirmed: nil
        }
    }
}

extension TransactionPayload {
    fileprivate var isTrial: Bool {
        offerDiscountType == Raw(.freeTrial) || (offerType == Raw(.introductoryOffer) && price == 0)
    }

    fileprivate var isIntroductory: Bool { offerType == Raw(.introductoryOffer) && !isTrial }
}

extension JSONWriter {
    /// A date in Apple's format there: GMT text, and milliseconds, which are also text.
    mutating func date(_ key: String, _ date: Timestamp?) {
        guard let date else { return }
        let text = date.rfc3339.prefix(19).replacing("T", with: " ")
        member(key, "\(text) Etc/GMT")
        member("\(key)_ms", "\(date.milliseconds)")
    }

    /// An element of in_app or latest_receipt_info.
    fileprivate mutating func purchase(_ purchase: TransactionPayload) {
        object { json in
            json.member("quantity", "\(purchase.quantity ?? 1)")
            json.memberIfPresent("product_id", purchase.productId)
            json.memberIfPresent("transaction_id", purchase.transactionId)
            json.memberIfPresent("original_transaction_id", purchase.originalTransactionId)
            json.memberIfPresent("web_order_line_item_id", purchase.webOrderLineItemId)
            json.date("purchase_date", purchase.purchaseDate)
            json.date("original_purchase_date", purchase.originalPurchaseDate)
            json.date("expires_date", purchase.expiresDate)
            json.date("cancellation_date", purchase.revocationDate)
            if purchase.revocationDate != nil {
                json.member(
                    "cancellation_reason", "\(purchase.revocationReason?.rawValue ?? 0)")
            }
            json.member("is_trial_period", purchase.isTrial ? "true" : "false")
            json.member("is_in_intro_offer_period", purchase.isIntroductory ? "true" : "false")
            if purchase.isUpgraded == true { json.member("is_upgraded", "true") }
            if purchase.offerType == Raw(.promotionalOffer) {
                json.memberIfPresent("promotional_offer_id", purchase.offerIdentifier)
            }
            if purchase.offerType == Raw(.offerCode) {
                json.memberIfPresent("offer_code_ref_name", purchase.offerIdentifier)
            }
            json.memberIfPresent(
                "subscription_group_identifier", purchase.subscriptionGroupIdentifier)
            json.memberIfPresent("in_app_ownership_type", purchase.inAppOwnershipType?.rawValue)
            json.memberIfPresent("app_account_token", purchase.appAccountToken)
        }
    }

    /// An element of pending_renewal_info.
    mutating func renewal(_ renewal: RenewalPayload) {
        object { json in
            json.memberIfPresent("original_transaction_id", renewal.originalTransactionId)
            json.memberIfPresent("product_id", renewal.productId)
            json.memberIfPresent("auto_renew_product_id", renewal.autoRenewProductId)
            json.memberIfPresent(
                "auto_renew_status", renewal.autoRenewStatus.map { "\($0.rawValue)" })
            json.memberIfPresent(
                "expiration_intent", renewal.expirationIntent.map { "\($0.rawValue)" })
            json.memberIfPresent(
                "is_in_billing_retry_period",
                renewal.isInBillingRetryPeriod.map { $0 ? "1" : "0" })
            json.date("grace_period_expires_date", renewal.gracePeriodExpiresDate)
            json.memberIfPresent(
                "price_increase_status", renewal.priceIncreaseStatus.map { "\($0.rawValue)" })
        }
    }

    /// The receipt inside a version 1 notification.
    mutating func unifiedReceipt(
        _ purchases: [TransactionPayload], _ renewals: [RenewalPayload],
        environment: String, latestReceipt: String?
    ) {
        object("unified_receipt") { json in
            json.member("status", 0)
            json.member("environment", environment)
            json.memberIfPresent("latest_receipt", latestReceipt)
            json.array("latest_receipt_info", purchases) { json, purchase in
                json.purchase(purchase)
            }
            json.array("pending_renewal_info", renewals) { json, renewal in
                json.renewal(renewal)
            }
        }
    }
}
