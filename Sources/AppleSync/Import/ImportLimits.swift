/// Limits of a migration.
public enum ImportLimits {
    /// Maximum number of files below a directory.
    public static let fileCount = 5_000_000
    /// Maximum nesting of directories.
    public static let depth = 32
    /// Maximum lines without evidence at the beginning of a file; beyond it the rest is skipped.
    public static let barrenLineCount = 20
    /// Maximum number of reported unusable inputs; further ones are only counted.
    public static let badInputCount = 1_000
    /// Maximum number of reported state differences; further ones are only counted.
    public static let differenceCount = 100_000
    /// Maximum number of differences listed in the text; the JSON has all reported ones.
    public static let namedCount = 20
    /// Maximum number of pieces verified and appended in one batch, and its approximate size.
    static let piecesPerBatch = 128
    static let bytesPerBatch = 4 * 1_024 * 1_024
    /// Customers whose facts are read in one batch.
    static let customersPerPage = 100
}
