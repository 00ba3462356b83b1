import AppStore
public import Ledger
internal import LedgerStore

/// A durable event.
public struct IntakeReceipt: Sendable {
    let appended: AppendResult
    /// The ledger that has it.
    public let served: ServedLedger
    /// Its chain; nil for none.
    public let chain: ChainId?
    let bundleId: BundleId

    /// `appended`, `duplicate` or `conflict`.
    public var result: String { appended.name }
    /// Its position in the log.
    public var position: Int64 { appended.position }
}

extension AppendResult {
    /// The name in answers and metrics.
    var name: String {
        switch self {
        case .appended: "appended"
        case .duplicate: "duplicate"
        case .conflict: "conflict"
        }
    }
}
