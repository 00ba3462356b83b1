/// One defect found by an audit of the log.
public struct LogFinding: Hashable, Sendable {
    public let code: Code
    /// The event concerned; nil where the finding concerns the log as a whole.
    public let position: Int64?
    /// The table that is missing, of `fileDamaged`; nil for any other finding.
    public let table: String?

    /// Stable names, for scripts.
    public enum Code: String, Sendable, CaseIterable {
        /// Positions are not contiguous: this one is missing.
        case positionMissing
        /// A row holds a value unknown to this release, or lacks a required one.
        case rowUnreadable
        /// The row is in the table, but a search by its position does not find it.
        case rowUnreachable
        /// The row does not match its leaf hash: it was altered.
        case leafHashMismatch
        /// No evidence row, not even a tombstone.
        case evidenceMissing
        /// The bytes were erased and a tombstone left, and no erasure of the log names the position
        /// (`Erasure.md`).
        case evidenceErased
        /// An erasure names the position, and its evidence, chain or notificationUUID is there.
        case evidenceNotErased
        /// An erasure states facts about a chain of an app, or at positions that it does not name,
        /// or names positions that are not before its own: no release wrote it, and none of its
        /// facts counts.
        case erasureImplausible
        /// Evidence without an event: a later event could not be given its position.
        case evidenceSurplus
        /// The stored evidence cannot be reassembled.
        case evidenceUnreadable
        /// The evidence does not match the hash in its row.
        case evidenceHashMismatch
        /// The payload does not match the hash in its row.
        case payloadHashMismatch
        /// `receivedAt` is earlier than an earlier event's, although it is not claimed.
        case timeGoesBack
        /// A stored header does not match its hash. `position` is nil.
        case headerHashMismatch
        /// A stored header to which no evidence refers, or whose id is not the next in sequence.
        /// `position` is nil.
        case headerSurplus
        /// The tree over the rows does not match the head row.
        case treeMismatch
        /// The head row is missing, or contradicts itself or the rows.
        case headMismatch
        /// An index of keys, identities or headers does not point to exactly the rows that have
        /// them: a duplicate could be appended, or a new event be treated as a duplicate.
        case keyIndexMismatch
        /// The tables, indexes, triggers or views differ from this release's.
        case schemaMismatch
        /// The log cannot be read any further, as where a table is missing, or SQLite finds the
        /// trees of its file damaged.
        case fileDamaged
    }

    package init(_ code: Code, at position: Int64? = nil, table: String? = nil) {
        self.code = code
        self.position = position
        self.table = table
    }

    /// For people: the code, and the table that is missing.
    public var text: String {
        table.map { "\(code.rawValue): the table \($0) is missing" } ?? code.rawValue
    }
}
