/// Why the store could not do what it was asked: a stable code, the file, and what to do next.
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
    /// Whether the file is derived from the log: then it can be made again.
    public private(set) var isDerived = false

    /// Stable names; scripts rely on them.
    public enum Code: String, Sendable, CaseIterable {
        /// Written by a newer release than this one.
        case fileNewer
        /// A recorded migration differs from the one this binary carries, or one is missing.
        case fileChanged
        /// An SQLite file, but not one of ours.
        case fileForeign
        /// No SQLite file at all.
        case fileNotDatabase
        /// Damaged, truncated, or rows that contradict each other.
        case fileCorrupt
        /// The file or its directory cannot be written.
        case fileReadOnly
        /// Deleted, moved or replaced while it was open, it or its write-ahead log; or only the
        /// write-ahead log is left.
        case fileReplaced
        /// Another process held the file longer than the busy timeout.
        case fileLocked
        /// The file is being used and must stay.
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
        /// Evidence that cannot be written down as what it is said to be.
        case evidenceMalformed
        /// COMMIT failed twice: the events may or may not be there. Appending them again is safe.
        case commitOutcomeUnknown
        /// The store was closed.
        case closed
        /// SQLite failed in a way no other code names.
        case databaseFailure
    }

    public init(_ code: Code, path: String? = nil, reason: String, remedy: String) {
        self.code = code
        self.path = path
        self.reason = reason
        self.remedy = remedy
    }

    /// Whether the file itself is of no use: derived data is then made again, the log restored.
    public var isDamage: Bool { [.fileCorrupt, .fileNotDatabase, .fileForeign].contains(code) }

    /// Whether making derived data again would help.
    public var asksForRebuild: Bool { isDerived && (isDamage || code == .databaseFailure) }

    /// The same, of a file that is derived from the log.
    package func ofDerivedFile(_ path: String) -> StoreError {
        var error = StoreError(
            code, path: path, reason: reason,
            remedy: isDamage || code == .databaseFailure
                ? "It is derived data: `subledger rebuild --from-log` makes it again." : remedy)
        error.isDerived = true
        return error
    }

    /// The same, with one sentence more of what to do.
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
