internal import Ledger

/// A value that a small integer represents in stored rows; the view `events_readable` spells out
/// those of the log. A code is never reused.
package protocol StoredCode: CaseIterable {
    var code: Int64 { get }
}

extension StoredCode {
    /// Nil for a code unknown to this release.
    package init?(code: Int64) {
        guard let known = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = known
    }
}

extension EventKind: StoredCode {
    /// The integer stored in `events.kind`.
    package var code: Int64 {
        switch self {
        case .notification: 1
        case .transaction: 2
        case .renewalPair: 3
        case .appTransaction: 4
        case .receipt: 5
        case .verifyReceipt: 6
        case .notificationV1: 7
        case .command: 8
        case .sweep: 9
        case .erasure: 10
        }
    }
}

extension EventSource: StoredCode {
    /// The integer stored in `events.source`.
    package var code: Int64 {
        switch self {
        case .webhook: 1
        case .history: 2
        case .client: 3
        case .import: 4
        case .operator: 5
        }
    }
}

extension Trust: StoredCode {
    /// The integer stored in `events.trust`.
    package var code: Int64 {
        switch self {
        case .signed: 1
        case .transport: 2
        case .secret: 3
        case .operator: 4
        case .xcode: 5
        }
    }
}
