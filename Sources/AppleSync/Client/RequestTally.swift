package import Intake

/// What the requests about one customer brought so far.
package struct RequestTally: Sendable {
    /// Responses, one per page; failed attempts are not counted.
    package var requests: Int64 = 0
    /// The evidence in them.
    package var taken = IngestSummary()
}
