/// Bounds of everything that is asked (`design.md` §6).
public enum APILimits {
    /// Longest answer: 4 MiB, what the intake takes of an API body. Apple's pages have some 400 KiB.
    public static let answerByteCount = 4 * 1024 * 1024
    /// One attempt, from connecting to the last byte; Apple's libraries wait as long.
    public static let timeoutMilliseconds: Int64 = 30_000
    /// Until a connection stands.
    public static let connectTimeoutMilliseconds: Int64 = 10_000
    /// Longest id in a path; Apple's have about 20 digits, tokens some hundred characters.
    public static let idByteCount = 1_024
    /// Days by which a renewal date can be extended (App Store Server API, `extendByDays`).
    public static let extensionDays: ClosedRange<Int64> = 1...90
    /// Longest `requestIdentifier` (App Store Server API).
    public static let requestIdentifierCharacterCount = 128
    /// Thousandths of a percent (App Store Server API, `consumptionPercentage`).
    public static let consumptionPercentages: ClosedRange<Int64> = 0...100_000
    /// Life of a token: Apple's libraries use five minutes and Apple takes up to an hour.
    public static let tokenLifeSeconds: Int64 = 300
    /// A token is not used in its last seconds: it could expire on the way.
    public static let tokenMarginSeconds: Int64 = 30
    /// However long Apple asks to wait, so much later it is asked again.
    public static let longestHoldMilliseconds: Int64 = 3_600_000
    /// Requests on their way at once.
    public static let concurrency = 16
    /// Pages in a row that bring nothing new, after which Apple is not asked for more.
    public static let barrenPageCount = 20
    /// Pages of one walk: 20 million notifications.
    public static let pageCount = 1_000_000
    /// How often a walk begins anew because its token had expired.
    public static let restartCount = 3
    /// A clock that differs by more from Apple's is corrected when Apple refuses a token.
    public static let clockToleranceMilliseconds: Int64 = 30_000
}
