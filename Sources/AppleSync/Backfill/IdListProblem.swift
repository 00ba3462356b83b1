/// A list of ids that cannot be used.
public enum IdListProblem: Error, Sendable, Equatable {
    /// It looks like CSV, and no column is known to hold ids.
    case noIdColumn
    case tooManyIds
    case tooLong
    /// It is no text of a kind that is read here.
    case unknownEncoding
    case unreadable(String)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .noIdColumn: "noIdColumn"
        case .tooManyIds: "tooManyIds"
        case .tooLong: "listTooLong"
        case .unknownEncoding: "unknownEncoding"
        case .unreadable: "unreadableInput"
        }
    }

    /// What is wrong, and what to do.
    public var message: String {
        switch self {
        case .noIdColumn:
            "The first line names no column of ids; it takes one of "
                + IdListReader.idColumns.joined(separator: ", ")
                + ", or a plain list with one id a line."
        case .tooManyIds:
            "There are more than \(BackfillLimits.idCount) ids; split the list."
        case .tooLong:
            "The list has more than \(BackfillLimits.listByteCount) bytes; split it, or cut out the"
                + " column of ids."
        case .unknownEncoding:
            "The list is no text in UTF-8, nor in UTF-16 with a byte order mark; save it in that"
                + " encoding (a spreadsheet file is to be exported as CSV first)."
        case .unreadable(let path): "\(path) cannot be read; check the path and its permissions."
        }
    }
}
