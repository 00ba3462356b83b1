/// A setting of the server or of the connection that weakens the guarantees of a log.
public struct LogWeakness: Hashable, Sendable {
    /// Whether acknowledged events may be lost.
    public let isSevere: Bool
    /// What it is and what to do.
    public let message: String

    public init(isSevere: Bool, message: String) {
        self.isSevere = isSevere
        self.message = message
    }
}
