import AppStore

extension Catalogue {
    /// The product type of a transaction: as stated or, since receipts state none, as listed in the
    /// catalogue. A listed product without duration is owned permanently; a consumable grants
    /// nothing and is never listed. Nil if neither gives it.
    func type(of transaction: Shared<TransactionSnapshot>) -> ProductType? {
        if let type = transaction.type { return type.value }
        guard transaction.expiresDate == nil, let id = transaction.productId,
            let product = products[id], product.period == nil
        else { return nil }
        return product.duration == nil ? .nonConsumable : .nonRenewingSubscription
    }
}
