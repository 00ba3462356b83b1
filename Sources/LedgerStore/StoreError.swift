/// Why the store failed: a stable code, the file, and what to do next.
///
/// Never holds a payload, a bound value or a secret. Equality looks at the code only.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public let code: Code
    /// The file concerned; nil where none is.
    public let path: String?
    /// What happened, one sentence.
    public let reason: String
    /// What to do about it, one sentence.
    public let remedy: String
    /// Whether the file is derived from the log, and so can be rebuilt.
    public private(set) var isDerived = false

    /// Stable names, for scripts.
    public enum Code: String, Sendable, CaseIterable {
        /// Written by a newer release than this one.
        case fileNewer
        /// A recorded migration differs from the one this binary carries, or one is missing.
        case fileChanged
        /// An SQLite file of another program or purpose.
        case fileForeign
        /// Not an SQLite file.
        case fileNotDatabase
        /// Damaged, truncated, or rows that contradict each other.
        case fileCorrupt
        /// The file or its directory cannot be written.
        case fileReadOnly
        /// The file or its write-ahead log was deleted, moved or replaced while open; or it is
        /// missing beside its write-ahead log, derived data, or a log that a restore replaced.
        case fileReplaced
        /// Another process held the file longer than the busy timeout.
        case fileLocked
        /// The file is in use and cannot be removed.
        case fileInUse
        /// No file has that name.
        case noSuchFile
        case diskFull
        /// The operating system refused a read or a write.
        case ioError
        /// More events are waiting than the queue admits; try again later.
        case queueFull
        /// More events or bytes in one call than a transaction admits.
        case batchTooLarge
        /// One piece of evidence over its bound.
        case evidenceTooLarge
        /// Evidence that does not fit its declared form.
        case evidenceMalformed
        /// COMMIT failed twice: the events may or may not be in the log. Appending them again is
        /// safe.
        case commitOutcomeUnknown
        /// Newer events may belong to what is being erased.
        case erasureOvertaken
        /// The store was closed, or the task was cancelled.
        case closed
        /// The database failed in a way no other code names.
        case databaseFailure
        /// The database server cannot be reached, or accepts no statements now.
        case databaseUnavailable
        /// The database server refuses this role, or cannot hold a log.
        case databaseRefused
        /// The log no longer holds what this node has seen of it.
        case logWentBack
    }

    public init(_ code: Code, path: String? = nil, reason: String, remedy: String) {
        self.code = code
        self.path = path
        self.reason = reason
        self.remedy = remedy
    }

    /// Whether the file itself is unusable: derived data must then be rebuilt, the log restored.
    public var isDamage: Bool { [.fileCorrupt, .fileNotDatabase, .fileForeign].contains(code) }

    /// Whether rebuilding derived data would help.
    public var asksForRebuild: Bool { isDerived && (isDamage || code == .databaseFailure) }

    /// Throws `closed` where the task was cancelled: reading a whole log ends with the service.
    package static func requireNotCancelled() throws(StoreError) {
        guard Task.isCancelled else { return }
        throw StoreError(.closed, reason: "The work was cancelled.", remedy: "Start it again.")
    }

    /// The same error, for a file that is derived from the log.
    package func ofDerivedFile(_ path: String) -> StoreError {
        var error = StoreError(
            code, path: path, reason: reason,
            remedy: isDamage || code == .databaseFailure
                ? "It is derived data: run `subledger rebuild --from-log`." : remedy)
        error.isDerived = true
        return error
    }

    /// The same error, with one more sentence in the remedy.
    public func adding(_ sentence: String) -> StoreError {
        var error = StoreError(code, path: path, reason: reason, remedy: "\(remedy) \(sentence)")
        error.isDerived = isDerived
        return error
    }

    public var description: String {
        guard let path else { return "\(reason) \(remedy)" }
        return "\(path): \(reason) \(remedy)"
    }
}

extension StoreError: Equatable {
    public static func == (left: StoreError, right: StoreError) -> Bool { left.code == right.code }
}
