/// The result for one event of a batch. In every case the event is durable.
public enum AppendResult: Hashable, Sendable {
    /// New, at this position.
    case appended(position: Int64)
    /// Already known with equal claims, at this position; nothing was written.
    case duplicate(of: Int64)
    /// Known under this identity with other claims: appended too, at this position, and marked.
    case conflict(position: Int64)

    /// Whether the event was written to the log.
    public var isWritten: Bool { if case .duplicate = self { false } else { true } }

    /// The position of the event, appended now or earlier.
    public var position: Int64 {
        switch self {
        case .appended(let position), .duplicate(let position), .conflict(let position): position
        }
    }
}
