/// Why a list of ids, or a directory of stored evidence, is unusable.
public enum InputProblem: Error, Sendable, Equatable {
    /// The list looks like CSV, but has no known column of ids.
    case noIdColumn
    case tooManyIds
    case tooLong
    /// The list is not text in a supported encoding.
    case unknownEncoding
    case unreadable(String)
    /// It is not a directory, or is not readable.
    case unreadableDirectory(String)
    case tooManyFiles
    case tooDeep(String)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .noIdColumn: "noIdColumn"
        case .tooManyIds: "tooManyIds"
        case .tooLong: "listTooLong"
        case .unknownEncoding: "unknownEncoding"
        case .unreadable, .unreadableDirectory: "unreadableInput"
        case .tooManyFiles: "tooManyFiles"
        case .tooDeep: "tooManyDirectories"
        }
    }

    /// What is wrong, and what to do.
    public var message: String {
        switch self {
        case .noIdColumn:
            "The first line has no column of ids; use one of "
                + IdListReader.idColumns.joined(separator: ", ")
                + ", or a plain list with one id per line."
        case .tooManyIds:
            "There are more than \(BackfillLimits.idCount) ids; split the list."
        case .tooLong:
            "The list has more than \(BackfillLimits.listByteCount) bytes; split it, or keep only"
                + " the column of ids."
        case .unknownEncoding:
            "The list is not text in UTF-8, or in UTF-16 with a byte order mark; save it in one of"
                + " these encodings (export a spreadsheet file as CSV first)."
        case .unreadable(let path): "\(path) cannot be read; check the path and its permissions."
        case .unreadableDirectory(let path):
            "\(path) is not a readable directory; check the path and its permissions."
        case .tooManyFiles:
            "There are more than \(ImportLimits.fileCount) files; migrate the directory in"
                + " parts."
        case .tooDeep(let path):
            "\(path): directories are nested more than \(ImportLimits.depth) deep; start from"
                + " one further down."
        }
    }
}
