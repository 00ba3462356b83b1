public import LedgerStore

/// Why a migration cannot begin or go on.
public enum MigrationProblem: Error, Sendable, Equatable {
    /// It is no directory, or cannot be read.
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
            "\(path) is no directory that can be read; check the path and its permissions."
        case .tooManyFiles:
            "There are more than \(MigrationLimits.fileCount) files; migrate one part after the"
                + " other."
        case .tooDeep(let path):
            "\(path): directories lie more than \(MigrationLimits.depth) deep in each other; name"
                + " one further down."
        case .store(let error): error.description
        }
    }
}
