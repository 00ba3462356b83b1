/// What became of one event of a batch. Whichever it is, the event is durable when it is told.
public enum AppendResult: Hashable, Sendable {
    /// New, at this position.
    case appended(position: Int64)
    /// Already known with equal claims, at this position; nothing was written.
    case duplicate(of: Int64)
    /// Known under this identity with other claims: appended too, at this position, and marked.
    case conflict(position: Int64)

    /// Whether the log was written for it.
    public var isWritten: Bool { if case .duplicate = self { false } else { true } }

    /// Where the event stands, appended now or earlier.
    public var position: Int64 {
        switch self {
        case .appended(let position), .duplicate(let position), .conflict(let position): position
        }
    }
}
