public import AppStore

/// Apple's retry schedule (App Store Server Notifications, Responding), used throughout the
/// simulator.
public enum DeliverySchedule {
    /// Hours from one attempt to the next, after the first, the second, …
    public static let waitHours: [Int64] = [1, 12, 24, 48, 72]
    /// Attempts in Production, the first one included; Sandbox makes one.
    public static let attemptLimit = waitHours.count + 1

    /// When Apple retries after the failed `number`-th attempt, from 1; nil when it gives up.
    public static func next(
        after number: Int, at date: Timestamp, in environment: Environment
    ) -> Timestamp? {
        guard environment == .production, number >= 1, number < attemptLimit else { return nil }
        return date.advanced(byMilliseconds: waitHours[number - 1] * 3_600_000)
    }
}
