/// Limits of a backfill.
public enum BackfillLimits {
    /// Maximum size of a list file in bytes: 256 MiB.
    public static let listByteCount = 256 * 1_024 * 1_024
    /// Maximum number of ids in a list: more than a week of requests at Apple's rates.
    public static let idCount = 5_000_000
    /// Maximum length of an id; Apple's have about 20 digits.
    public static let idByteCount = 64
    /// Maximum size of a CSV record in bytes; bounds a quotation mark that is never closed.
    public static let recordByteCount = 1_024 * 1_024
    /// Maximum number of columns in a CSV file.
    public static let columnCount = 1_024
    /// Maximum number of reported lines without an id; further ones are only counted.
    public static let badLineCount = 1_000
    /// Maximum number of reported names of other stores, and their maximum length in characters.
    public static let storeCount = 20
    public static let storeNameLength = 32
    /// Bytes at the beginning of a list that are checked to distinguish text from binary files.
    public static let probedByteCount = 1_024
    /// Maximum number of ids requested concurrently.
    public static let concurrency = 8
    /// Consecutive transient failures after which the run stops: the cause is Apple or the network,
    /// not the ids.
    public static let failureStreak = 5
}
