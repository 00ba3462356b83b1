internal import LedgerStore

/// An event that is durable.
public struct IntakeReceipt: Sendable {
    /// `appended`, `duplicate` or `conflict`.
    public let result: String
    /// Where it stands in the log.
    public let position: Int64

    init(_ result: AppendResult) {
        position = result.position
        self.result = result.name
    }
}

extension AppendResult {
    /// For people and programs that count.
    var name: String {
        switch self {
        case .appended: "appended"
        case .duplicate: "duplicate"
        case .conflict: "conflict"
        }
    }
}
