public import AppStore
import Foundation

/// The calendar days of a time zone, as moments. Midnights are found from the zone's offsets alone,
/// so that days of 23 and 25 hours, and days that begin at one in the morning, come out right.
public struct ReportZone: Sendable, Hashable {
    /// The IANA name, as it was given.
    public let name: String
    private let zone: TimeZone

    /// Nil for a name that the system's database does not know.
    public init?(_ name: String) {
        guard !name.isEmpty, let zone = TimeZone(identifier: name) else { return nil }
        self.name = name
        self.zone = zone
    }

    /// Ahead of UTC, milliseconds.
    private func offset(_ milliseconds: Int64) -> Int64 {
        let date = Date(timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
        return Int64(zone.secondsFromGMT(for: date)) * 1000
    }

    /// The local day that a moment lies in.
    public func day(of moment: Timestamp) -> CivilDate {
        moment.advanced(byMilliseconds: offset(moment.milliseconds)).date
    }

    static let dayMilliseconds: Int64 = 86_400_000

    /// The first moment of a local day; of a day that a zone left out, the moment it was left out.
    public func start(of day: CivilDate) -> Timestamp {
        let local = day.daysSinceEpoch * ReportZone.dayMilliseconds
        // No zone changes its offset twice within two days, and none has one beyond a day.
        let before = offset(local - ReportZone.dayMilliseconds)
        let after = offset(local + ReportZone.dayMilliseconds)
        let early = local - before
        if before == after || offset(early) == before { return Timestamp(milliseconds: early) }
        let late = local - after
        if after < before || offset(late - 1) == after { return Timestamp(milliseconds: late) }
        // Clocks went forward over midnight: the day began with the change.
        var (low, high) = (local - ReportZone.dayMilliseconds, early)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high)
    }
}
