internal import LedgerStore
internal import Projection

/// Quarantined inputs of a person.
extension PersonErasure {
    /// Removes the quarantined inputs that name one of the ids.
    func eraseQuarantine(_ ids: Set<String>) async throws(StoreError) {
        var last: Int64 = 0
        while true {
            let page = try await ledger.operations.quarantined(after: last)
            guard let end = page.last?.id else { return }
            for item in page {
                guard let whole = try await ledger.operations.quarantineItem(item.id) else {
                    continue
                }
                if PersonalIds.isNaming(ids, in: whole.bytes) {
                    _ = try await ledger.operations.removeFromQuarantine(item.id)
                }
            }
            last = end
        }
    }
}
