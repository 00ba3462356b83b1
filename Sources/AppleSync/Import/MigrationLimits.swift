/// Bounds of a migration.
public enum MigrationLimits {
    /// Files of one directory, those of the directories inside it included.
    public static let fileCount = 5_000_000
    /// Directories inside directories.
    public static let depth = 32
    /// Lines of a file, from its first, that may hold no evidence before the rest of it is passed
    /// over, when none did.
    public static let barrenLineCount = 20
    /// Inputs that are told one by one because they hold nothing usable; the rest is counted.
    public static let badInputCount = 1_000
    /// Customers told one by one because their state differs; the rest is counted.
    public static let differenceCount = 100_000
    /// Differences named one by one in a text; all that are told are in the JSON.
    public static let namedCount = 20
    /// Pieces that are verified and appended as one, and about how many bytes of them.
    static let piecesPerBatch = 128
    static let bytesPerBatch = 4 * 1_024 * 1_024
    /// Customers whose facts are read as one.
    static let customersPerPage = 100
}
