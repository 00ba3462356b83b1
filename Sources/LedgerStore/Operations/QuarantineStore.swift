/// Evidence that was refused and is kept, with the reason, until an operator retries or removes it.
public protocol QuarantineStore: Sendable {
    /// Stores inputs, or counts another delivery of the same bytes, and updates reason and standing
    /// to the latest; results in their order.
    ///
    /// Throws `diskFull`, `fileLocked`, `fileReadOnly`, `fileCorrupt` or `ioError`.
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

extension QuarantineStore {
    /// Keeps one item.
    public func quarantine(_ item: NewQuarantineItem) async throws(StoreError) -> QuarantineResult {
        try await quarantine([item])[0]
    }

    /// The next page of items.
    public func quarantined(after id: Int64 = 0) async throws(StoreError) -> [QuarantineItem] {
        try await quarantined(after: id, limit: QuarantineLimits.pageCount)
    }
}
