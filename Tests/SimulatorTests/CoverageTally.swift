import AppStore

@testable import Simulator

/// What a set of lives exercises, so that a test can require full coverage.
struct CoverageTally {
    /// What the deliveries show.
    private(set) var evidence: Set<String> = []
    /// The kinds of recorded losses.
    private(set) var losses: Set<LossRecord.Kind> = []
    /// The states and reasons of true intervals.
    private(set) var states: Set<TrueState> = []
    private(set) var reasons: Set<TrueReason> = []

    /// Notifications with their subtypes, other deliveries, and forms of their parts.
    static let forms: Set<String> = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF DOWNGRADE",
        "DID_CHANGE_RENEWAL_PREF UPGRADE", "DID_CHANGE_RENEWAL_STATUS",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", "DID_FAIL_TO_RENEW",
        "DID_FAIL_TO_RENEW GRACE_PERIOD", "DID_RENEW", "DID_RENEW BILLING_RECOVERY", "EXPIRED",
        "EXPIRED BILLING_RETRY", "EXPIRED PRICE_INCREASE", "EXPIRED PRODUCT_NOT_FOR_SALE",
        "EXPIRED VOLUNTARY", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION",
        "OFFER_REDEEMED", "OFFER_REDEEMED DOWNGRADE", "OFFER_REDEEMED UPGRADE", "ONE_TIME_CHARGE",
        "PRICE_CHANGE", "PRICE_INCREASE ACCEPTED", "PRICE_INCREASE PENDING", "REFUND",
        "REFUND_DECLINED", "REFUND_REVERSED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION FAILURE",
        "REVOKE", "SUBSCRIBED INITIAL_BUY", "SUBSCRIBED RESUBSCRIBE",
        "a transaction", "a status", "no status", "grace without its date",
        "grace without the retry flag", "the date of a grace that ended", "an upgraded transaction",
        "a commitment", "line item 0", "intent 1", "intent 2", "intent 3", "intent 4", "intent 5",
        "offer 1", "offer 2", "offer 3", "offer 4", "Sandbox", "Production", "PURCHASED",
        "FAMILY_SHARED", "Auto-Renewable Subscription", "Non-Consumable", "Consumable",
        "Non-Renewing Subscription", "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE",
        "a renewal signed early", "a refund of another date", "a restored copy",
        "a shared line item",
    ]

    /// Adds a life.
    mutating func add(_ life: SubscriberLife) {
        for delivery in life.deliveries { evidence.formUnion(delivery.forms) }
        evidence.formUnion(CoverageTally.forms(of: life.deliveries.compactMap(\.transaction)))
        losses.formUnion(life.losses.map(\.kind))
        states.formUnion(life.truth.map(\.state))
        reasons.formUnion(life.truth.compactMap(\.reason))
    }

    /// What the transactions of a life show together.
    private static func forms(of transactions: [TransactionPayload]) -> [String] {
        var forms: [String] = []
        for (_, stated) in Dictionary(grouping: transactions, by: \.transactionId) {
            if Set(stated.compactMap(\.revocationDate)).count > 1 {
                forms.append("a refund of another date")
            }
        }
        let named = transactions.filter { ($0.webOrderLineItemId?.rawValue ?? "0") != "0" }
        for (_, stated) in Dictionary(grouping: named, by: \.webOrderLineItemId) {
            let ids = Dictionary(stated.map { ($0.transactionId, $0) }) { $1 }
            guard ids.count > 1, let end = ids.values.compactMap(\.expiresDate).min() else {
                continue
            }
            let overlap = ids.values.allSatisfy { $0.purchaseDate.map { $0 < end } ?? false }
            forms.append(overlap ? "a restored copy" : "a shared line item")
        }
        return forms
    }

    /// Names of what no life has exercised yet.
    var missing: [String] {
        CoverageTally.forms.subtracting(evidence).sorted()
            + LossRecord.Kind.allCases.filter { !losses.contains($0) }.map(\.rawValue)
            + TrueState.allCases.filter { !states.contains($0) }.map(\.rawValue)
            + TrueReason.allCases.filter { !reasons.contains($0) }.map(\.rawValue)
    }
}

extension Delivery {
    fileprivate var forms: [String] {
        var forms: [String?] = [
            transaction?.environment?.rawValue, transaction?.type?.rawValue,
            transaction?.inAppOwnershipType?.rawValue, transaction?.revocationType?.rawValue,
            transaction?.offerType.map { "offer \($0.rawValue)" },
            renewal?.expirationIntent.map { "intent \($0.rawValue)" },
            transaction?.isUpgraded == true ? "an upgraded transaction" : nil,
            transaction?.commitmentInfo == nil ? nil : "a commitment",
            transaction?.webOrderLineItemId?.rawValue == "0" ? "line item 0" : nil,
        ]
        if let start = transaction?.purchaseDate, let signedDate, signedDate < start {
            forms.append("a renewal signed early")
        }
        switch evidence {
        case .transaction: forms.append("a transaction")
        case .pair: forms.append("a status")
        case .notification(let notification, _, let renewal):
            let type = notification.notificationType?.value
            let names = [notification.notificationType?.rawValue, notification.subtype?.rawValue]
            forms.append(names.compactMap { $0 }.joined(separator: " "))
            guard let renewal else { break }
            if notification.data?.status == nil { forms.append("no status") }
            let isDated = renewal.gracePeriodExpiresDate != nil
            if type == .gracePeriodExpired, isDated {
                forms.append("the date of a grace that ended")
            }
            guard notification.subtype?.value == .gracePeriod else { break }
            if !isDated { forms.append("grace without its date") }
            if renewal.isInBillingRetryPeriod == false {
                forms.append("grace without the retry flag")
            }
        }
        return forms.compactMap { $0 }
    }
}
