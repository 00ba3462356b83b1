public import AppStore

/// When Apple tries again (`appstore.md` §5): one place for everything here that needs to know.
public enum DeliverySchedule {
    /// Hours from one attempt to the next, after the first, the second, …
    public static let waitHours: [Int64] = [1, 12, 24, 48, 72]
    /// Attempts in Production, the first one included; Sandbox makes one.
    public static let attemptLimit = waitHours.count + 1

    /// When the attempt follows that comes after the failed `number`-th, from 1; nil when Apple
    /// gives up.
    public static func next(
        after number: Int, at date: Timestamp, in environment: Environment
    ) -> Timestamp? {
        guard environment == .production, number >= 1, number < attemptLimit else { return nil }
        return date.advanced(byMilliseconds: waitHours[number - 1] * 3_600_000)
    }
}
