internal import Intake

/// Counts of the requests about one customer so far.
public struct RequestTally: Sendable, Equatable {
    /// Responses, one per page; failed attempts are not counted.
    public var requests: Int64 = 0
    /// Pieces of evidence in them.
    public var received: Int64 = 0
    public var appended: Int64 = 0
    public var duplicates: Int64 = 0
    /// Appended as well, but not counted in `appended`.
    public var conflicts: Int64 = 0
    /// Refused: not verified, or of another app or environment.
    public var refused: Int64 = 0
    /// The reason for the first refusal.
    public var refusal: Refusal?
    /// The end of the log after the last event taken in.
    public var position: Int64 = 0

    /// Why a piece of evidence was refused.
    public struct Refusal: Sendable, Equatable {
        public let code: String
        public let message: String
    }

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
