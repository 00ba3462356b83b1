/// Bounds of waiting for a TEST notification.
public enum TestNotificationLimits {
    /// Default wait for Apple's report on the delivery.
    public static let waitSeconds = 60
    /// Longest wait: Apple's second attempt comes after an hour.
    public static let longestWaitSeconds = 7_200
    /// Interval between status requests; in Sandbox the rate limit makes it ten seconds.
    public static let pollMilliseconds: Int64 = 2_000
    /// How long a delivered notification may take to reach the log.
    public static let arrivalMilliseconds: Int64 = 5_000
    /// Interval between checks of the log.
    public static let lookMilliseconds: Int64 = 250
}
