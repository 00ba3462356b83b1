import AppStore

/// Apple's attempts to deliver a notification (`appstore.md` §5).
enum SendAttempts {
    struct Attempt: Sendable, Equatable {
        let date: Timestamp
        let result: String
    }

    /// After the attempt before, hours.
    private static let waitHours: [Int64] = [1, 12, 24, 48, 72]

    /// The attempts made by `now`, newest last: until one met no outage.
    ///
    /// - Parameter isRepeated: Production; Sandbox tries once.
    static func of(
        _ signedDate: Timestamp, until now: Timestamp, outages: [ClosedRange<Timestamp>],
        isRepeated: Bool
    ) -> [Attempt] {
        var attempts: [Attempt] = []
        var date = signedDate
        for wait in waitHours + [0] {
            guard date <= now else { break }
            let isMissed = outages.contains { $0.contains(date) }
            attempts.append(Attempt(date: date, result: isMissed ? "NO_RESPONSE" : "SUCCESS"))
            guard isMissed, isRepeated else { break }
            date = date.advanced(byMilliseconds: wait * 3_600_000)
        }
        return attempts
    }
}
