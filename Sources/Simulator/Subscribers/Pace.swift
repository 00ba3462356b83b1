package import AppStore

/// The speed of a subscription: by the calendar in Production, in minutes for sandbox testers, one
/// day per period in TestFlight.
package enum Pace: Hashable, Sendable, CaseIterable {
    case calendar
    case fiveMinutes
    case thirtyMinutes
    case oneHour
    case testFlight

    static let minute: Int64 = 60_000
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour

    package var environment: Environment { self == .calendar ? .production : .sandbox }

    /// Renewals after a purchase before the sandbox stops; nil in Production.
    var renewalLimit: Int? {
        switch self {
        case .calendar: nil
        case .fiveMinutes, .thirtyMinutes, .oneHour: 12
        case .testFlight: 6
        }
    }

    /// The end of the `count`-th period after an anchor. Counted from the anchor, so that a
    /// subscription bought on the 31st returns to the 31st after February.
    func end(of period: ISO8601Period, count: Int64, from anchor: Timestamp) -> Timestamp {
        let (month, week): (Int64, Int64)
        switch self {
        case .calendar:
            return ISO8601Period(months: period.months * count, days: period.days * count)
                .adding(to: anchor)
        case .fiveMinutes: (month, week) = (5 * Pace.minute, 3 * Pace.minute)
        case .thirtyMinutes: (month, week) = (30 * Pace.minute, 10 * Pace.minute)
        case .oneHour: (month, week) = (Pace.hour, 15 * Pace.minute)
        case .testFlight: return anchor.advanced(byMilliseconds: Pace.day * count)
        }
        let weeks = (period.days + 6) / 7
        return anchor.advanced(byMilliseconds: count * (period.months * month + weeks * week))
    }

    /// How long Apple retries after a period of this length (`Lifecycle.md` §2 rule 5).
    func retryWindow(isCommitment: Bool, length: Int64) -> Int64 {
        guard self == .calendar else { return 2 * length }
        return (isCommitment ? 90 : 60) * Pace.day
    }
}
