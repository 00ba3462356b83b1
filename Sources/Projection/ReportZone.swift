public import AppStore
import Foundation
public import SQLiteStore
import Signing
import Synchronization

/// The calendar days of a time zone, as moments. Computes midnights from the zone's offsets alone,
/// which handles days of 23 and 25 hours and days that begin at 01:00.
public struct ReportZone: Sendable, Hashable {
    /// The IANA name, as given.
    public let name: String
    private let zone: TimeZone

    /// Nil for anything but an IANA name. Foundation also accepts abbreviations and offsets, which
    /// are ambiguous: it takes BST for Dhaka and CST for Chicago.
    public init?(_ name: String) {
        guard ReportZone.isName(name), let zone = TimeZone(identifier: name) else { return nil }
        self.name = name
        self.zone = zone
    }

    /// Names of regions and places contain a slash; `wholeNames` lists the others.
    private static func isName(_ name: String) -> Bool {
        guard name.contains("/") else { return wholeNames.contains(name) }
        // POSIX-style rules of another system, never part of the database.
        return !name.hasPrefix("SystemV/")
    }

    /// Names without a slash in the IANA database's files `etcetera` and `backward`.
    private static let wholeNames: Set<String> = [
        "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT",
        "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel",
        "Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT",
        "Navajo",
        "PRC", "PST8PDT", "Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC",
        "Universal", "W-SU", "WET", "Zulu",
    ]

    /// Milliseconds ahead of UTC.
    private func offset(_ milliseconds: Int64) -> Int64 {
        let date = Date(timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
        return Int64(zone.secondsFromGMT(for: date)) * 1000
    }

    /// The local day that contains a moment; moments outside the years 1 to 9999 are clamped.
    public func day(of moment: Timestamp) -> CivilDate {
        let moment = moment.clamped
        return moment.advanced(byMilliseconds: offset(moment.milliseconds)).date
    }

    /// Local hours and minutes, as 13:00.
    package func clock(_ moment: Timestamp) -> String {
        let moment = moment.clamped
        let local = moment.milliseconds + offset(moment.milliseconds)
        return String(Timestamp(milliseconds: local).rfc3339.dropFirst(11).prefix(5))
    }

    /// The moment in local time with its offset, as 2024-10-27T01:00:00+02:00. In UTC where that
    /// is the zone, and where RFC 3339 has no form for the offset or the local year.
    package func time(_ moment: Timestamp) -> String {
        let ahead = offset(moment.clamped.milliseconds)
        let local = moment.clamped.advanced(byMilliseconds: ahead)
        guard name != "UTC", moment == moment.clamped, local == local.clamped,
            ahead % 60_000 == 0
        else { return moment.rfc3339 }
        var text = local.rfc3339.dropLast()
        if text.hasSuffix(".000") { text = text.dropLast(4) }
        let minutes = abs(ahead) / 60_000
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(text)\(ahead < 0 ? "-" : "+")\(parts.joined(separator: ":"))"
    }

    package static let dayMilliseconds: Int64 = 86_400_000

    /// More than a day before and after every local day of the years 1 to 9999; between them
    /// arithmetic does not overflow.
    private static let firstDay = Timestamp.earliest.date.daysSinceEpoch - 2
    private static let lastDay = Timestamp.latest.date.daysSinceEpoch + 3

    /// The first moment of a local day; for a day that the zone skipped, the moment of the skip.
    public func start(of day: CivilDate) -> Timestamp {
        let number = min(max(day.daysSinceEpoch, ReportZone.firstDay), ReportZone.lastDay)
        let local = number * ReportZone.dayMilliseconds
        // No zone changes its offset twice within two days, or has an offset beyond a day.
        let before = offset(local - ReportZone.dayMilliseconds)
        let after = offset(local + ReportZone.dayMilliseconds)
        let early = local - before
        if before == after || offset(early) == before { return Timestamp(milliseconds: early) }
        let late = local - after
        if after < before || offset(late - 1) == after { return Timestamp(milliseconds: late) }
        // Clocks went forward over midnight: the day began with the change.
        return Timestamp(
            milliseconds: ReportZone.first(after: local - ReportZone.dayMilliseconds, to: early) {
                offset($0) != before
            })
    }

    /// The first number at which a condition holds that stays true until `high`.
    private static func first(
        after low: Int64, to high: Int64, where holds: (Int64) -> Bool
    ) -> Int64 {
        var (low, high) = (low, high)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle }
        }
        return high
    }
}

extension ReportZone {
    /// The days by which sums are stored in this zone. Their name includes the zone's rules, since
    /// another release of the time zone database may move a day.
    public var days: ReportDays {
        let zone = self
        return ReportDays(name: "\(name)\(rules.map { " (\($0))" } ?? "")") { moment in
            var day = zone.day(of: moment).daysSinceEpoch
            // Setting clocks back over midnight repeats a local day.
            while zone.start(of: CivilDate(daysSinceEpoch: day)) > moment { day -= 1 }
            while zone.start(of: CivilDate(daysSinceEpoch: day + 1)) <= moment { day += 1 }
            let date = CivilDate(daysSinceEpoch: day)
            return ReportDay(
                start: zone.start(of: date),
                end: zone.start(of: CivilDate(daysSinceEpoch: day + 1)),
                month: zone.start(of: CivilDate(year: date.year, month: date.month, day: 1)),
                date: String(Timestamp(date).rfc3339.prefix(10)))
        }
    }

    /// Hexadecimal digits kept of the digest.
    private static let ruleCharacterCount = 16
    /// Step of the search for changes.
    private static let weekMilliseconds = 7 * dayMilliseconds

    /// Cache of `digest` by name: computing it takes longer than opening a ledger, and the rules do
    /// not change within a process.
    private static let knownRules = Mutex<[String: String?]>([:])

    /// The digest of the zone's rules; nil for zones whose days are those of UTC.
    private var rules: String? {
        if name == "UTC" { return nil }
        if let known = ReportZone.knownRules.withLock({ $0[name] }) { return known }
        let digest = ReportZone.digest(of: offset)
        ReportZone.knownRules.withLock { $0[name] = .some(digest) }
        return digest
    }

    /// A digest of every change of an offset on the days that have sums; nil where it is always 0.
    static func digest(of offset: (Int64) -> Int64) -> String? {
        var changes: [String] = []
        var place = ReportDays.beginning.milliseconds - weekMilliseconds
        var current = offset(place)
        if current != 0 { changes.append("\(current)") }
        while place < ReportDays.end.milliseconds {
            let next = place + weekMilliseconds
            let after = offset(next)
            if after != current {
                let second = first(after: place / 1000, to: next / 1000) {
                    offset($0 * 1000) == after
                }
                changes.append("\(second * 1000) \(after)")
            }
            (place, current) = (next, after)
        }
        guard !changes.isEmpty else { return nil }
        let digest = SHA256.hash(Array(changes.joined(separator: "\n").utf8)).hexadecimal
        return String(digest.prefix(ruleCharacterCount))
    }
}
