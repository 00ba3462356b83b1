public import AppStore
internal import Projection

/// Why the service cannot answer now, or not here.
public enum ServingError: Error, Sendable, Equatable {
    /// The projections have not reached the position asked for; the one reached.
    case projectionBehind(position: Int64)
    /// The environment is not served here.
    case environmentNotServed(Environment)
    /// A cursor stands behind the end of the log: it is of another log than this one.
    case cursorBeyondLog(head: Int64)
    /// The disk does not answer a write.
    case appendStalled
    /// The system's clock jumped forward, by so much; what depends on it is not decided.
    case clockJumped(milliseconds: Int64)
    /// The service is stopping.
    case stopping

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .projectionBehind: "projectionBehind"
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
            "The projections stand at position \(position) and did not reach the one asked for in"
                + " time; ask again."
        case .environmentNotServed(let environment):
            "\(environment.rawValue) is not served here; start the service with --environment"
                + " \(EnvironmentLedger.directoryName(environment))."
        case .cursorBeyondLog(let head):
            "The log ends at position \(head), before this cursor: another log stands here now. Read"
                + " the state anew and begin without a cursor."
        case .appendStalled:
            "The disk has not answered a write for \(ServedLedger.stallLimit); look at the disk."
        case .clockJumped(let milliseconds):
            "The clock jumped forward by \(milliseconds / 1_000) s; set it right, or confirm it by"
                + " `subledger test-notification` or a restart if it is."
        case .stopping: "The service is stopping; ask again."
        }
    }
}
