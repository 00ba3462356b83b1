internal import Ledger

// Small integers represent these in the rows of the log; the view `events_readable` spells them
// out. A code is never reused.

extension EventKind {
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
        }
    }

    private static let byCode = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    /// Nil for a code unknown to this release.
    package init?(code: Int64) {
        guard let kind = EventKind.byCode[code] else { return nil }
        self = kind
    }
}

extension EventSource {
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

    private static let byCode = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    /// Nil for a code unknown to this release.
    package init?(code: Int64) {
        guard let source = EventSource.byCode[code] else { return nil }
        self = source
    }
}

extension Trust {
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

    private static let byCode = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.code, $0) })

    /// Nil for a code unknown to this release.
    package init?(code: Int64) {
        guard let trust = Trust.byCode[code] else { return nil }
        self = trust
    }
}
