/// What was signed (or commanded): part of an event's identity. Raw values are stored in the log
/// and fixed by the contract.
public enum EventKind: String, Sendable, CaseIterable {
    case notification
    case transaction
    /// One `lastTransactions` item: both JWS, and their unsigned `status`.
    case renewalPair
    case appTransaction
    case receipt
    case verifyReceipt
    case notificationV1
    case command
    case sweep
    /// The erasure of a person's data (`Erasure.md`).
    case erasure

    /// Whether one event of this kind can state several transactions, of several chains.
    public var mayNameSeveralChains: Bool {
        switch self {
        case .receipt, .verifyReceipt, .notificationV1: true
        case .notification, .transaction, .renewalPair, .appTransaction, .command, .sweep,
            .erasure:
            false
        }
    }
}

/// How an event arrived. Not part of its identity.
public enum EventSource: String, Sendable, CaseIterable {
    case webhook
    case history
    case client
    case `import`
    case `operator`
}

/// The trust rank of a statement; the first key in choosing a transaction's best snapshot
/// (`Lifecycle.md` §2 rule 2).
public enum Trust: String, Sendable, CaseIterable, Comparable {
    /// Apple's signature was verified.
    case signed
    /// An unsigned response of Apple's over TLS (verifyReceipt).
    case transport
    /// Authenticated by a shared secret only (V1 notifications).
    case secret
    /// Stated by an operator.
    case `operator`
    /// Signed by a certificate made by Xcode or a local test, which proves nothing. Only in the
    /// ledgers of the environments Xcode and LocalTesting.
    case xcode

    /// Higher ranks take precedence.
    public var rank: Int {
        switch self {
        case .signed: 4
        case .transport: 3
        case .secret: 2
        case .operator: 1
        case .xcode: 0
        }
    }

    public static func < (left: Trust, right: Trust) -> Bool { left.rank < right.rank }
}
