/// A failure that libpq or the server reported.
///
/// Holds the primary message only: details and contexts may quote values.
struct PostgresError: Error, Sendable {
    let kind: Kind
    /// One line.
    let message: String

    enum Kind: Hashable, Sendable {
        /// No connection could be opened.
        case unreachable
        /// The server refused the login.
        case loginRefused
        /// The connection broke: what was sent may or may not have taken effect.
        case lost
        /// No answer within the deadline: the connection was given up, as with `lost`.
        case timedOut
        /// The server refused a statement.
        case refused(SQLState)
        /// A value of another type or length than the statement returns.
        case unexpectedValue
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The code, where the server refused a statement.
    var state: SQLState? { if case .refused(let state) = kind { state } else { nil } }

    /// Whether another session kept a lock for too long; the connection is usable.
    var isLocked: Bool { state == .lockNotAvailable }

    /// Whether the connection is gone, and the effect of what was sent on it unknown.
    var isConnectionLost: Bool { kind == .lost || kind == .timedOut }
}
