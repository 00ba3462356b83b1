internal import Intake

/// What questions about one customer brought, so far.
public struct AskedTally: Sendable, Equatable {
    /// Answers, a page each. Attempts that failed are not among them.
    public var requests: Int64 = 0
    /// Pieces of evidence in them.
    public var received: Int64 = 0
    public var appended: Int64 = 0
    public var duplicates: Int64 = 0
    /// Appended too, but counted once, here.
    public var conflicts: Int64 = 0
    /// Not taken in: not believed, or of another app or environment.
    public var refused: Int64 = 0
    /// Why the first of those was not.
    public var refusal: Refusal?
    /// The end of the log after the last that was taken in.
    public var position: Int64 = 0

    /// Why a piece of evidence was not taken in.
    public struct Refusal: Sendable, Equatable {
        public let code: String
        public let message: String
    }

    /// Nothing asked yet.
    public init() {}

    mutating func add(_ summary: IngestSummary) {
        received += summary.read
        appended += summary.appended
        duplicates += summary.duplicates
        conflicts += summary.conflicts
        refused += summary.rejected + summary.quarantined
        position = max(position, summary.position)
        if refusal == nil, let error = summary.errors.first {
            refusal = Refusal(code: error.code, message: error.message)
        }
    }
}
