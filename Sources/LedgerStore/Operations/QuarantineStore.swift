/// Evidence that was refused and is kept, with the reason, until an operator retries or removes it.
public protocol QuarantineStore: Sendable {
    /// Keeps the items; results in their order.
    func quarantine(
        _ items: [NewQuarantineItem]
    ) async throws(StoreError) -> [QuarantineResult]

    /// Items after `id`, oldest first, without bytes; at most `limit`, itself at most
    /// `QuarantineLimits.pageCount`.
    func quarantined(after id: Int64, limit: Int) async throws(StoreError) -> [QuarantineItem]

    /// One item with its bytes; nil where there is none.
    func quarantineItem(_ id: Int64) async throws(StoreError) -> QuarantineItem?

    /// Whether the item was there.
    func removeFromQuarantine(_ id: Int64) async throws(StoreError) -> Bool
}
