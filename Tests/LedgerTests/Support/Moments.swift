import AppStore
import Testing

/// Moments and durations of the tests. Day 0 is an arbitrary midnight UTC (2023-11-14).
let origin = Timestamp(milliseconds: 1_699_920_000_000)

let second: Int64 = 1000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute
let dayLength: Int64 = 24 * hour

/// Midnight of a day after (or before) the origin, and milliseconds more.
func day(_ number: Int64, _ more: Int64 = 0) -> Timestamp {
    Timestamp(milliseconds: origin.milliseconds + number * dayLength + more)
}

extension Timestamp: CustomTestStringConvertible {
    /// Days from the origin and the remaining milliseconds, as written in the tests.
    public var testDescription: String {
        let (offset, overflow) = milliseconds.subtractingReportingOverflow(origin.milliseconds)
        guard !overflow else { return "\(milliseconds) ms" }
        var (days, rest) = offset.quotientAndRemainder(dividingBy: dayLength)
        if rest < 0 { (days, rest) = (days - 1, rest + dayLength) }
        guard rest != 0 else { return "day \(days)" }
        let clock = [rest / hour, rest / minute % 60, rest / second % 60].map { "\($0)" }
        return "day \(days) + \(clock.joined(separator: ":")).\(rest % second)"
    }
}
