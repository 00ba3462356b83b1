/// Bounds of waiting for a TEST notification.
public enum TestNotificationLimits {
    /// How long Apple's word on the delivery is waited for, unless another time is asked for.
    public static let waitSeconds = 60
    /// The longest wait that can be asked for: Apple's second attempt comes after an hour.
    public static let longestWaitSeconds = 7_200
    /// Between two questions; in Sandbox the rate makes it ten seconds.
    public static let pollMilliseconds: Int64 = 2_000
    /// How long what Apple has delivered may take to be in the log.
    public static let arrivalMilliseconds: Int64 = 5_000
    /// Between two looks into the log.
    public static let lookMilliseconds: Int64 = 250
}
