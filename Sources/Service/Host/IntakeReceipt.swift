internal import LedgerStore

/// A durable event.
public struct IntakeReceipt: Sendable {
    /// `appended`, `duplicate` or `conflict`.
    public let result: String
    /// Its position in the log.
    public let position: Int64

    init(_ result: AppendResult) {
        position = result.position
        self.result = result.name
    }
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
