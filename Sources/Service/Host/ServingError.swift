public import AppStore

/// Why the service cannot answer a request.
public enum ServingError: Error, Sendable, Equatable {
    /// The projections have not reached the requested position; the one reached.
    case projectionBehind(position: Int64)
    /// Another process projects here by other rules; only where this one does not serve.
    case otherRules
    /// The environment is not served here.
    case environmentNotServed(Environment)
    /// A cursor is beyond the end of the log: it belongs to another log.
    case cursorBeyondLog(head: Int64)
    /// The disk does not answer a write.
    case appendStalled
    /// The system clock jumped forward by this much; nothing that depends on it is decided.
    case clockJumped(milliseconds: Int64)
    /// The service is stopping.
    case stopping

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .projectionBehind: "projectionBehind"
        case .otherRules: "otherRules"
        case .environmentNotServed: "environmentNotServed"
        case .cursorBeyondLog: "cursorBeyondLog"
        case .appendStalled: "appendStalled"
        case .clockJumped: "clockJumped"
        case .stopping: "stopping"
        }
    }

    /// What happened, and what to do.
    public var message: String {
        switch self {
        case .projectionBehind(let position):
            "The projections are at position \(position) and did not reach the requested one in"
                + " time; retry."
        case .otherRules:
            "Another process projects this data directory by other rules (catalogue, report time"
                + " zone or release). Restart the client of this process, so that both have the"
                + " same release and read the same configuration."
        case .environmentNotServed(let environment):
            "\(environment.rawValue) is not served here."
        case .cursorBeyondLog(let head):
            "The log ends at position \(head), before this cursor: the log was replaced. Read"
                + " the state again and start without a cursor."
        case .appendStalled:
            "The disk has not answered a write for \(ServedLedger.stallLimit); retry."
        case .clockJumped(let milliseconds):
            "The clock jumped forward by \(milliseconds / 1_000) s and is not trusted; retry."
        case .stopping: "The service is stopping; retry."
        }
    }
}
