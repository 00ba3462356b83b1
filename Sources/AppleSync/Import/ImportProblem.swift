public import LedgerStore

/// Why a migration cannot start or continue.
public enum ImportProblem: Error, Sendable, Equatable {
    /// It is not a directory, or is not readable.
    case unreadableDirectory(String)
    case tooManyFiles
    case tooDeep(String)
    case store(StoreError)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .unreadableDirectory: "unreadableInput"
        case .tooManyFiles: "tooManyFiles"
        case .tooDeep: "tooManyDirectories"
        case .store(let error): error.code.rawValue
        }
    }

    /// What is wrong, and what to do.
    public var message: String {
        switch self {
        case .unreadableDirectory(let path):
            "\(path) is not a readable directory; check the path and its permissions."
        case .tooManyFiles:
            "There are more than \(ImportLimits.fileCount) files; migrate the directory in"
                + " parts."
        case .tooDeep(let path):
            "\(path): directories are nested more than \(ImportLimits.depth) deep; start from"
                + " one further down."
        case .store(let error): error.description
        }
    }
}
