/// Bounds of a backfill.
public enum BackfillLimits {
    /// Longest list of ids as a file, bytes: 256 MiB.
    public static let listByteCount = 256 * 1_024 * 1_024
    /// Ids of one list: more than a week of asking at Apple's rates.
    public static let idCount = 5_000_000
    /// Longest id; Apple's have about 20 digits.
    public static let idByteCount = 64
    /// One record of a CSV file, bytes; a quotation mark that is never closed ends there.
    public static let recordByteCount = 1_024 * 1_024
    /// Columns of a CSV file.
    public static let columnCount = 1_024
    /// Lines that are told one by one because they hold no id; the rest is counted.
    public static let badLineCount = 1_000
    /// Names of stores other than Apple's that are told one by one, and their longest, characters.
    public static let storeCount = 20
    public static let storeNameLength = 32
    /// Bytes at the beginning of a list that are looked at to tell text from other files.
    public static let probedByteCount = 1_024
    /// Ids that are asked about at once.
    public static let concurrency = 8
    /// Ids in a row that Apple did not answer for a reason that may pass, after which nobody else
    /// is asked: it is Apple, or the way there.
    public static let failureStreak = 5
}
