public import AppStore

/// The progress through a list of ids.
public struct BackfillRun: Hashable, Sendable {
    /// Ids at the front of the list that are settled: answered, unknown to Apple, or given up.
    public var settled = 0
    /// Settled ids that were answered completely.
    public var done = 0
    /// Minimum number of Apple's responses.
    public var requests: Int64 = 0
    public var appended: Int64 = 0
    public var duplicates: Int64 = 0
    public var conflicts: Int64 = 0
    public var startedAt: Timestamp
    /// The end of the log that holds what was fetched.
    public var log = ProjectionCursor.start

    public init(startedAt: Timestamp) { self.startedAt = startedAt }

    /// An id of the list that was not answered completely.
    public struct Trouble: Hashable, Sendable {
        /// The index in the list, from 0.
        public let ordinal: Int
        public let id: String
        /// Why it was not answered; nil when the id is unknown to Apple.
        public let code: String?
        /// One sentence: the cause and the remedy.
        public let message: String

        public init(ordinal: Int, id: String, code: String?, message: String) {
            self.ordinal = ordinal
            self.id = id
            self.code = code
            self.message = message
        }
    }
}
