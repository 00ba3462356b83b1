public import AppStore

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
    /// The service is stopping.
    case stopping

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .projectionBehind: "projectionBehind"
        case .environmentNotServed: "environmentNotServed"
        case .cursorBeyondLog: "cursorBeyondLog"
        case .appendStalled: "appendStalled"
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
        case .stopping: "The service is stopping; ask again."
        }
    }
}
