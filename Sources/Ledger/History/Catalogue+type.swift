import AppStore

extension Catalogue {
    /// What kind of product a transaction bought: as stated, else, since receipts state none, as the
    /// catalogue has it. A product that is listed with no duration is kept for good; a consumable
    /// grants nothing, and has no place in a catalogue. Nil when nobody says.
    func type(of transaction: Shared<TransactionSnapshot>) -> ProductType? {
        if let type = transaction.type { return type.value }
        guard transaction.expiresDate == nil, let id = transaction.productId,
            let product = products[id], product.period == nil
        else { return nil }
        return product.duration == nil ? .nonConsumable : .nonRenewingSubscription
    }
}
