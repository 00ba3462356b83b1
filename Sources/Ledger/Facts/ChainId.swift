import AppStore

/// One subscription's life inside an environment (`lifecycle.md` §1). The environment is the
/// ledger itself: nothing of another one is ever in reach.
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
}
