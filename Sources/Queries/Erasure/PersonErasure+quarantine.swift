internal import LedgerStore
internal import Projection

/// Quarantined inputs of a person.
extension PersonErasure {
    /// The numbers of the quarantined inputs that name one of the ids; none is used again.
    func quarantined(naming ids: Set<String>) async throws(StoreError) -> [Int64] {
        var (found, last): ([Int64], Int64) = ([], 0)
        while true {
            let page = try await ledger.operations.quarantined(after: last)
            guard let end = page.last?.id else { return found }
            for item in page {
                guard let whole = try await ledger.operations.quarantineItem(item.id),
                    PersonalIds.isNaming(ids, in: whole.bytes)
                else { continue }
                found.append(item.id)
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
