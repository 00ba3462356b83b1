import AppStore
import Ledger
package import Projection

/// The zone, intervals, groups and filters of a metric query.
package struct MetricScope: Sendable {
    package let zone: ReportZone
    let interval: ReportInterval
    /// The bounds of the intervals.
    package let instants: [Timestamp]
    let dimensions: [Dimension]
    let filters: [Dimension: Set<String?>]

    var hasReason: Bool { dimensions.contains(.reason) || filters[.reason] != nil }

    func question(_ measure: RollForwardQuery.Measure) -> RollForwardQuery {
        RollForwardQuery(
            measure, instants: instants, dimensions: dimensions, filters: filters)
    }

    // MARK: Empty tables

    func counts(of metric: CountedMetric) -> CountTable {
        CountTable(metric, instants: instants, dimensions: dimensions, filters: filters)
    }

    func payments(until limit: Timestamp) -> LifetimeTable {
        LifetimeTable(instants: instants, dimensions: dimensions, filters: filters, limit: limit)
    }

    func delays() throws(MetricsError) -> LatenessTable {
        try requireOnlyApp()
        return LatenessTable(
            instants: instants, isByApp: !dimensions.isEmpty, apps: filters[.app])
    }

    func requireOnlyApp() throws(MetricsError) {
        guard Set(dimensions).union(filters.keys).isSubset(of: [.app]) else { throw .onlyApp }
    }
}

/// The text parameters of a metric query, shared by the command line and HTTP so that both parse
/// and reject alike.
public struct MetricParameters: Sendable {
    /// A day of the zone, or a time.
    public var from: String?
    /// Nil: now.
    public var to: String?
    /// Nil: month.
    public var interval: String?
    /// Names of dimensions.
    public var by: [String] = []
    /// `dimension=value`; several values of one dimension are alternatives.
    public var filters: [String] = []
    /// Nil: the configured report zone.
    public var timeZone: String?

    public init() {}

    static let dimensions = Dimension.allCases.map(\.rawValue).joined(separator: ", ")

    /// Splits a comma-separated list; blanks around a comma do not count.
    public static func list(_ text: String?) -> [String] { parts(text).map { trimmed($0) } }

    /// Without blanks around it.
    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop { $0 == " " }
        return String(rest.prefix(rest.count - rest.reversed().prefix { $0 == " " }.count))
    }

    private static func parts(_ text: String?) -> [Substring] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false)
    }

    /// Splits a comma-separated list of `dimension=value`. A value that a developer chose (of
    /// `takingCommas`) may contain commas: only a word and `=` begin the next one.
    public static func pairs(_ text: String?) -> [String] {
        var found: [String] = []
        for part in parts(text) {
            let word = part.drop { $0 == " " }.prefix { $0 != "=" }
            let isNamed =
                part.contains("=") && !word.isEmpty
                && word.allSatisfy { $0.isASCII && $0.isLetter }
            if !isNamed, let last = found.last, takingCommas.contains(where: last.hasPrefix) {
                found[found.count - 1] += ",\(part)"
            } else {
                // Blanks at the end may be of a value that a developer chose.
                let isChosen = takingCommas.contains { "\(word)=" == $0 }
                found.append(isChosen ? String(part.drop { $0 == " " }) : trimmed(part))
            }
        }
        return found
    }

    private static let takingCommas = [Dimension.offer, .offerIdentifier, .group].map {
        "\($0.rawValue)="
    }

    // MARK: Reading

    /// - Parameter count: the number of intervals needed; later ones may be left out.
    func scope(
        _ reportZone: String, limit: Timestamp, first count: Int = .max
    ) throws(MetricsError) -> MetricScope {
        let zone = try zone(reportZone)
        let interval = try reportInterval()
        return MetricScope(
            zone: zone, interval: interval,
            instants: try instants(interval, zone, limit: limit, first: count),
            dimensions: try dimensions(), filters: try conditions())
    }

    private func zone(_ reportZone: String) throws(MetricsError) -> ReportZone {
        let name = timeZone ?? reportZone
        guard let zone = ReportZone(name) else { throw .unknownTimeZone(name) }
        return zone
    }

    private func reportInterval() throws(MetricsError) -> ReportInterval {
        guard let interval else { return .month }
        guard let found = ReportInterval(rawValue: interval) else {
            throw .unknownInterval(interval)
        }
        return found
    }

    func dimensions() throws(MetricsError) -> [Dimension] {
        var found: [Dimension] = []
        for name in by {
            guard let dimension = Dimension(rawValue: name) else { throw .unknownDimension(name) }
            guard !found.contains(dimension) else { throw .duplicateDimension(name) }
            found.append(dimension)
        }
        return found
    }

    private func conditions() throws(MetricsError) -> [Dimension: Set<String?>] {
        var found: [Dimension: Set<String?>] = [:]
        for filter in filters {
            let parts = filter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .invalidFilter(filter) }
            guard let dimension = Dimension(rawValue: String(parts[0])) else {
                throw .unknownDimension(String(parts[0]))
            }
            let value = String(parts[1])
            try MetricParameters.check(value, of: dimension)
            // An empty value matches rows that state none.
            found[dimension, default: []].insert(value.isEmpty ? nil : value)
        }
        return found
    }

    /// Rejects a value that its dimension never has. Dimensions with external values (Apple's, the
    /// developer's, countries, currencies) are open.
    static func check(_ value: String, of dimension: Dimension) throws(MetricsError) {
        let known: [String]
        switch dimension {
        case .phase: known = ChainAnswer.Phase.allCases.map(\.rawValue)
        case .ownership:
            known = [ChainAnswer.Ownership.purchased, .familyShared, .assigned].map(\.rawValue)
        case .reason:
            // Rows of chains that did not churn have no reason.
            guard !value.isEmpty else { return }
            known = EndReason.allCases.map(\.rawValue)
        case .app, .product, .group, .country, .storefront, .currency, .offer, .offerType,
            .offerIdentifier, .offerDiscountType:
            return
        }
        guard known.contains(value) else {
            throw .unknownValue(dimension, value, known: known.joined(separator: ", "))
        }
    }

    /// The bounds of the rows.
    ///
    /// - Parameter limit: the earlier of now and knownAt; the end of every answer.
    func instants(
        _ interval: ReportInterval, _ zone: ReportZone, limit: Timestamp, first count: Int = .max
    ) throws(MetricsError) -> [Timestamp] {
        guard let from = try time(from, "from", zone) else { throw .invalidTime(parameter: "from") }
        let to = try time(to, "to", zone) ?? max(limit, from.advanced(byMilliseconds: 1))
        guard from < to else {
            throw .invalidRange("The range is empty: `to` is exclusive, and must be after `from`.")
        }
        guard from.milliseconds >= MetricsLimits.earliestMilliseconds else {
            throw .invalidRange("The range begins before 2008, when there was no App Store.")
        }
        guard from < limit else {
            throw .invalidRange(
                "The range begins at \(from.rfc3339), and nothing is known after"
                    + " \(limit.rfc3339), the earlier of now and knownAt.")
        }
        return try instants(interval, zone, from: from, to: min(to, limit), first: count)
    }

    private func instants(
        _ interval: ReportInterval, _ zone: ReportZone, from: Timestamp, to end: Timestamp,
        first count: Int
    ) throws(MetricsError) -> [Timestamp] {
        var instants = [from]
        var day = interval.start(of: zone.day(of: from))
        var begun = zone.start(of: day)
        while begun < end {
            day = interval.next(after: day)
            let next = zone.start(of: day)
            // A day that the zone skipped has no row; hours count from midnight.
            var starts = [next]
            if interval == .hour {
                let hours = stride(
                    from: begun.milliseconds, to: next.milliseconds,
                    by: Int64.Stride(ReportInterval.hourMilliseconds))
                starts = hours.map { Timestamp(milliseconds: $0) } + [next]
            }
            for start in starts {
                guard start < end else { break }
                guard let last = instants.last, start > last else { continue }
                guard instants.count < MetricsLimits.intervalCount else {
                    throw .tooManyIntervals(limit: MetricsLimits.intervalCount)
                }
                instants.append(start)
                if instants.count > count { return instants }
            }
            begun = next
        }
        return instants + [end]
    }

    private func time(
        _ text: String?, _ parameter: String, _ zone: ReportZone
    ) throws(MetricsError) -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(userInput: text) else {
            throw .invalidTime(parameter: parameter)
        }
        return MetricParameters.isDay(text) ? zone.start(of: time.date) : time
    }

    /// `YYYY-MM-DD`, as opposed to ten digits of epoch milliseconds.
    package static func isDay(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.dropFirst().contains(UInt8(ascii: "-"))
    }
}
