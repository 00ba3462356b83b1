import AppStore

/// The query of Get Transaction History, validated as Apple does.
struct HistoryFilter: Sendable {
    private let startDate: Int64?
    private let endDate: Int64?
    private let products: Set<String>
    private let groups: Set<String>
    private let types: Set<ProductType>
    private let ownership: String?
    private let revoked: Bool?
    let isDescending: Bool

    private static let typeNames: [String: ProductType] = [
        "AUTO_RENEWABLE": .autoRenewableSubscription,
        "NON_RENEWABLE": .nonRenewingSubscription, "CONSUMABLE": .consumable,
        "NON_CONSUMABLE": .nonConsumable,
    ]

    init(_ request: ServedRequest) throws(ServedError) {
        startDate = try HistoryFilter.date(
            request.value("startDate"), ServedError(4_000_015, "Invalid start date."))
        endDate = try HistoryFilter.date(
            request.value("endDate"), ServedError(4_000_016, "Invalid end date."))
        if let startDate, let endDate, startDate > endDate {
            throw ServedError(4_000_013, "Start date is after end date.")
        }
        products = Set(request.values("productId"))
        guard !products.contains("") else { throw ServedError(4_000_023, "Invalid product id.") }
        groups = Set(request.values("subscriptionGroupIdentifier"))
        guard !groups.contains("") else {
            throw ServedError(4_000_024, "Invalid subscription group identifier.")
        }
        var types: Set<ProductType> = []
        for name in request.values("productType") {
            guard let type = HistoryFilter.typeNames[name] else {
                throw ServedError(4_000_022, "Invalid product type.")
            }
            types.insert(type)
        }
        self.types = types
        ownership = request.value("inAppOwnershipType")
        guard ownership.map({ InAppOwnershipType(rawValue: $0) != nil }) ?? true else {
            throw ServedError(4_000_026, "Invalid in app ownership type.")
        }
        switch request.value("revoked") {
        case nil: revoked = nil
        case "true": revoked = true
        case "false": revoked = false
        default: throw ServedError(4_000_030, "Invalid revoked.")
        }
        switch request.value("sort") {
        case nil, "ASCENDING": isDescending = false
        case "DESCENDING": isDescending = true
        default: throw ServedError(4_000_021, "Invalid sort.")
        }
    }

    private static func date(
        _ text: String?, _ error: ServedError
    ) throws(ServedError) -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text), number >= 0 else { throw error }
        return number
    }

    func takes(_ transaction: TransactionPayload) -> Bool {
        let purchase = transaction.purchaseDate?.milliseconds ?? 0
        let isInWindow =
            (startDate.map { purchase >= $0 } ?? true) && (endDate.map { purchase < $0 } ?? true)
        let isOfProduct =
            products.isEmpty || products.contains(transaction.productId?.rawValue ?? "")
        let isOfGroup =
            groups.isEmpty
            || groups.contains(transaction.subscriptionGroupIdentifier?.rawValue ?? "")
        let isOfType =
            types.isEmpty || transaction.type?.value.map { types.contains($0) } ?? false
        let isOwned = ownership.map { transaction.inAppOwnershipType?.rawValue == $0 } ?? true
        let isRevoked = revoked.map { (transaction.revocationDate != nil) == $0 } ?? true
        return isInWindow && isOfProduct && isOfGroup && isOfType && isOwned && isRevoked
    }
}
