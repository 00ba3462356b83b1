public import AppStore

/// How far a list of ids was worked through.
public struct BackfillRun: Hashable, Sendable {
    /// Ids from the front of the list that are settled: answered, unknown to Apple, or given up.
    public var settled = 0
    /// Of those, answered whole.
    public var done = 0
    /// Answers of Apple's, at least.
    public var requests: Int64 = 0
    public var appended: Int64 = 0
    public var duplicates: Int64 = 0
    public var conflicts: Int64 = 0
    public var startedAt: Timestamp

    /// A run that begins.
    public init(startedAt: Timestamp) { self.startedAt = startedAt }

    /// An id of the list that was not answered whole.
    public struct Trouble: Hashable, Sendable {
        /// The place in the list, from 0.
        public let ordinal: Int
        public let id: String
        /// What kept it from being answered; nil: Apple knows nothing of the id.
        public let code: String?
        /// One sentence: why, and what to do.
        public let message: String

        public init(ordinal: Int, id: String, code: String?, message: String) {
            self.ordinal = ordinal
            self.id = id
            self.code = code
            self.message = message
        }
    }
}
