public import AppStore

/// What an upload under a key was answered from: enough to make the same answer again.
public struct UploadRecord: Hashable, Sendable {
    /// `appended`, `duplicate` or `conflict`.
    public var result: String
    /// Where its event stands.
    public var eventPosition: Int64
    /// What came of a claim; nil without one.
    public var claim: String?
    /// The moment the answer is of.
    public var at: Timestamp
    /// The last position the answer knows.
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
