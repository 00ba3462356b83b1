import AppStore

/// The identity of one subscription's life within an environment (`Lifecycle.md` §1). Each
/// environment has its own ledger.
public struct ChainId: Hashable, Comparable, Sendable {
    public let bundleId: BundleId
    public let originalTransactionId: OriginalTransactionId

    public init(bundleId: BundleId, originalTransactionId: OriginalTransactionId) {
        self.bundleId = bundleId
        self.originalTransactionId = originalTransactionId
    }

    /// By originalTransactionId, then bundle id: the order of exports.
    public static func < (left: ChainId, right: ChainId) -> Bool {
        if left.originalTransactionId != right.originalTransactionId {
            return left.originalTransactionId < right.originalTransactionId
        }
        return left.bundleId < right.bundleId
    }

    /// Writes the members `bundleId` and `originalTransactionId`.
    package func writeMembers(to json: inout JSONWriter) {
        json.member("bundleId", bundleId)
        json.member("originalTransactionId", originalTransactionId)
    }
}
