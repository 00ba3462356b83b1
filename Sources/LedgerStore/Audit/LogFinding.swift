/// One thing an audit of the log found wrong.
public struct LogFinding: Hashable, Sendable {
    public let code: Code
    /// The event concerned; nil where the finding is about the log as a whole.
    public let position: Int64?

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// Positions are not contiguous: this one is not there.
        case positionMissing
        /// A row holds a value this release does not know, or none where one must be.
        case rowUnreadable
        /// The row is in the table, but whoever asks for it by its position does not find it.
        case rowUnreachable
        /// The row does not give its leaf hash: it was altered.
        case leafHashMismatch
        /// No evidence row, not even a tombstone.
        case evidenceMissing
        /// The bytes were erased and a tombstone left. An erasure is an event of the log, and this
        /// release writes and knows none: no tombstone is authorised yet (`design.md` §2).
        case evidenceErased
        /// Evidence of no event: a later event could not be given its position.
        case evidenceSurplus
        /// The stored evidence cannot be put together again.
        case evidenceUnreadable
        /// The evidence is not the one the row commits to.
        case evidenceHashMismatch
        /// The payload is not the one the row commits to.
        case payloadHashMismatch
        /// `receivedAt` lies before an earlier event's though nobody claimed it.
        case timeGoesBack
        /// A stored header is not the one its hash names. `position` is nil.
        case headerHashMismatch
        /// A stored header to which no evidence refers, or whose id is not the next in turn.
        /// `position` is nil.
        case headerSurplus
        /// The tree over the rows is not the one in the head row.
        case treeMismatch
        /// The head row contradicts itself, its rows, or is missing.
        case headMismatch
        /// An index of keys, identities or headers does not lead to exactly the rows that have
        /// them: a duplicate could be appended, or an event be taken for one.
        case keyIndexMismatch
        /// The tables, indexes, triggers or views are not those of this release.
        case schemaMismatch
        /// SQLite cannot read the file any further, or finds its trees damaged.
        case fileDamaged
    }

    package init(_ code: Code, at position: Int64? = nil) {
        self.code = code
        self.position = position
    }
}
