/// Bounds of requests and responses (`Log.md` §6).
public enum APILimits {
    /// Longest response: 4 MiB, the intake's limit for an API body. Apple's pages have about 400
    /// KiB.
    public static let answerByteCount = 4 * 1024 * 1024
    /// Timeout of one attempt, from connecting to the last byte, as in Apple's libraries.
    public static let timeoutMilliseconds: Int64 = 30_000
    /// Timeout of connecting.
    public static let connectTimeoutMilliseconds: Int64 = 10_000
    /// Longest id in a path; Apple's have about 20 digits, tokens a few hundred characters.
    public static let idByteCount = 1_024
    /// Days by which a renewal date can be extended (App Store Server API, `extendByDays`).
    public static let extensionDays: ClosedRange<Int64> = 1...90
    /// Longest `requestIdentifier` (App Store Server API).
    public static let requestIdentifierCharacterCount = 128
    /// Thousandths of a percent (App Store Server API, `consumptionPercentage`).
    public static let consumptionPercentages: ClosedRange<Int64> = 0...100_000
    /// Longest header and bullet point of a retention message (Retention Messaging API, `header`).
    public static let messageHeaderCharacterCount = 66
    /// Longest text of a retention message (Retention Messaging API, `body`).
    public static let messageBodyCharacterCount = 144
    /// Longest description of an image (Retention Messaging API, `altText`).
    public static let altTextCharacterCount = 150
    /// Most bullet points of a retention message (Retention Messaging API, `bulletPoints`).
    public static let bulletPointCount = 5
    /// Longest address for real-time requests (Retention Messaging API, `realtimeURL`).
    public static let realtimeURLCharacterCount = 256
    /// Longest image that is sent; Apple states dimensions and no size.
    public static let imageByteCount = 4 * 1024 * 1024
    /// Lifetime of a token: Apple's libraries use five minutes and Apple accepts up to an hour.
    public static let tokenLifeSeconds: Int64 = 300
    /// A token is not used in its last seconds, because it could expire in transit.
    public static let tokenMarginSeconds: Int64 = 30
    /// Longest wait that a `Retry-After` can impose.
    public static let longestHoldMilliseconds: Int64 = 3_600_000
    /// Most concurrent requests.
    public static let concurrency = 16
    /// Most consecutive pages without new items before a walk ends.
    public static let barrenPageCount = 20
    /// Most pages of one walk: 20 million notifications.
    public static let pageCount = 1_000_000
    /// Most restarts of a walk whose token expired.
    public static let restartCount = 3
    /// Clock difference above which the local clock is corrected when Apple rejects a token.
    public static let clockToleranceMilliseconds: Int64 = 30_000
}
