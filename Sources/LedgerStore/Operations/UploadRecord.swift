public import AppStore

/// The data from which an upload under a key was answered, sufficient to repeat the answer.
public struct UploadRecord: Hashable, Sendable {
    /// `appended`, `duplicate` or `conflict`.
    public var result: String
    /// The position of its event.
    public var eventPosition: Int64
    /// The result of a claim; nil without one.
    public var claim: String?
    /// The time of the answer.
    public var at: Timestamp
    /// The last log position included in the answer.
    public var position: Int64

    public init(
        result: String, eventPosition: Int64, claim: String?, at: Timestamp, position: Int64
    ) {
        self.result = result
        self.eventPosition = eventPosition
        self.claim = claim
        self.at = at
        self.position = position
    }
}
