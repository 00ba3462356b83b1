internal import LedgerStore
internal import Projection

/// Quarantined inputs of a person.
extension PersonErasure {
    /// The numbers of the quarantined inputs that name one of the ids; none is used again.
    func quarantined(naming ids: Set<String>) async throws(StoreError) -> [Int64] {
        try await quarantine(naming: ids).items
    }

    /// The same, with those of the ids that they name. It reads the whole quarantine.
    func quarantine(
        naming ids: Set<String>, byPurchases: Bool = false
    ) async throws(StoreError) -> (items: [Int64], ids: Set<String>) {
        var (found, named, last): ([Int64], Set<String>, Int64) = ([], [], 0)
        while true {
            let page = try await ledger.operations.quarantined(after: last)
            guard let end = page.last?.id else { return (found, named) }
            for item in page {
                guard let whole = try await ledger.operations.quarantineItem(item.id) else {
                    continue
                }
                let own = PersonalIds.named(ids, in: whole.bytes, byPurchases: byPurchases)
                if !own.isEmpty { found.append(item.id) }
                named.formUnion(own)
            }
            last = end
        }
    }

    func eraseQuarantine(_ ids: Set<String>) async throws(StoreError) {
        for id in try await quarantined(naming: ids) {
            _ = try await ledger.operations.removeFromQuarantine(id)
        }
    }
}
