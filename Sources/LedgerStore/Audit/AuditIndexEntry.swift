package import AppStore

/// An entry of an index by a digest: the digest, and the position it points to.
package typealias AuditIndexEntry = (digest: Digest, position: Int64)

extension KeySetDigest {
    /// Whether an index holds exactly the entries of this sum up to `end`. False too when the index
    /// is missing or cannot be read.
    ///
    /// - Parameter page: the entries after one, in the index's order, empty at the end; nil when
    ///   the index is damaged.
    package func matches(
        through end: Int64,
        _ page: (_ after: AuditIndexEntry?) async throws(StoreError) -> [AuditIndexEntry]?
    ) async throws(StoreError) -> Bool {
        var sum = KeySetDigest()
        var last: AuditIndexEntry?
        do throws(StoreError) {
            repeat {
                try StoreError.requireNotCancelled()
                guard let entries = try await page(last) else { return false }
                // Concurrent appends are not counted.
                for entry in entries where entry.position <= end {
                    sum.add(entry.digest, entry.position)
                }
                last = entries.last
            } while last != nil
        } catch {
            guard error.isAudited else { throw error }
            return false
        }
        return sum == self
    }
}
